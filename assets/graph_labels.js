"use strict";
// What is drawn over vis-network's picture: how far candidates are filled, rings, the dot that walks, and labels
// placed so that none covers another. Lengths are on the canvas; px is the canvas length of one screen pixel.

const PRIORITY = { current: 1, answer: 2, visited: 3, candidate: 5, found: 7, ghost: 4, idle: 9 };
const CROWD = 10; // finds of a search beyond which only the step's own are named
const BEAT = 700; // ms a step

// Whether the segment from a to b passes through the box (Liang and Barsky's clipping).
function crosses(a, b, [x0, y0, x1, y1]) {
  let enter = 0, leave = 1;
  for (const [p, q] of [[a.x - b.x, a.x - x0], [b.x - a.x, x1 - a.x], [a.y - b.y, a.y - y0], [b.y - a.y, y1 - a.y]]) {
    if (p === 0) { if (q < 0) return false; continue; }
    const t = q / p;
    if (p < 0) enter = Math.max(enter, t); else leave = Math.min(leave, t);
    if (enter > leave) return false;
  }
  return true;
}

const overlaps = (a, b) => a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];

// Draw over the picture; returns the labels written, as [{text, box}].
function drawOver(ctx, g) {
  const { view, state, network } = g, n = view.nodes.length;
  const at = network.getPositions(), px = 1 / network.getScale();
  const shown = [...Array(n).keys()].filter((i) => !g.hiddenGroups.has(state.group[i]));
  fillCandidates(ctx, g, shown, at);
  for (const i of shown) if (g.lit.has(i)) ring(ctx, g, at[i], i, view.colours.answer, 7 * px, 4 * px, 0.55);
  if (shown.includes(g.selected)) ring(ctx, g, at[g.selected], g.selected, view.colours.ink, 5 * px, 2 * px);
  ctx.setLineDash([4 * px, 3 * px]); // what the compared run visited too
  for (const i of shown) if (view.facts[i].ghost === "both") ring(ctx, g, at[i], i, view.colours.idle, 4 * px, 1.6 * px);
  ctx.setLineDash([]);
  walkingDot(ctx, g, at, px);
  return writeLabels(ctx, g, shown, at, px);
}

function ring(ctx, g, { x, y }, i, colour, gap, width, alpha = 1) {
  ctx.beginPath();
  ctx.arc(x, y, g.size[i] + gap, 0, 2 * Math.PI);
  ctx.globalAlpha = alpha;
  ctx.strokeStyle = colour;
  ctx.lineWidth = width;
  ctx.stroke();
  ctx.globalAlpha = 1;
}

// A candidate is a ring, filled by an area in proportion to its score.
function fillCandidates(ctx, g, shown, at) {
  for (const i of shown) {
    const score = Math.min(1, g.state.score[i]);
    if (g.state.group[i] !== "candidate" || score <= 0) continue;
    ctx.beginPath();
    ctx.arc(at[i].x, at[i].y, Math.max(0, g.size[i] - 3.2 * g.unit) * Math.sqrt(score), 0, 2 * Math.PI);
    ctx.globalAlpha = (0.35 + 0.65 * score) * (isStrong(g, i) ? 1 : 0.62);
    ctx.fillStyle = g.view.colours.visited;
    ctx.fill();
    ctx.globalAlpha = 1;
  }
}

// A step that has just been taken: a dot runs along the path to the present node, which pulses once.
function walkingDot(ctx, g, at, px) {
  if (!g.replay || g.still.matches) return;
  const passed = (performance.now() - g.began) / (BEAT * 0.75), now = g.view.frames[g.frame], C = g.view.colours;
  if (passed >= 1 || !g.visibleAgents.has(now.agent)) return;
  if (now.at !== null) ring(ctx, g, at[now.at], now.at, C.current, (4 + 16 * passed) * px, 3 * px, 1 - passed);
  for (const i of now.appended) ring(ctx, g, at[i], i, C.answer, (2 + 14 * passed) * px, 3 * px, 1 - passed);
  if (now.kind === "look" && now.walked.length > 1) {
    const along = passed * (now.walked.length - 1), leg = Math.min(Math.floor(along), now.walked.length - 2);
    const a = at[now.walked[leg]], b = at[now.walked[leg + 1]], t = along - leg;
    ctx.beginPath();
    ctx.arc(a.x + (b.x - a.x) * t, a.y + (b.y - a.y) * t, 6 * px, 0, 2 * Math.PI);
    ctx.fillStyle = C.current;
    ctx.fill();
  }
  requestAnimationFrame(() => g.network.redraw());
}

const widths = new Map();
function widthOf(ctx, family, text, weight) {
  const key = weight + text;
  if (!widths.has(key)) {
    ctx.font = `${weight} 100px ${family}`;
    widths.set(key, ctx.measureText(text).width / 100);
  }
  return widths.get(key);
}

function priority(g, i) {
  if (i === g.selected || i === g.hovered || g.lit.has(i)) return 0;
  if (!g.replay) return g.view.facts[i].pinned ? 1 : 5;
  const group = g.state.group[i], base = PRIORITY[group] + (g.state.fresh[i] ? 0 : 0.9);
  return group === "candidate" ? base - Math.max(0, g.state.score[i]) * 1.5 : base;
}

function writeLabels(ctx, g, shown, at, px) {
  const { view, state } = g, C = view.colours, written = [], type = px * (view.large ? 1.5 : 1); // of a letter, per px
  const near = g.network.DOMtoCanvas({ x: 0, y: 0 });
  const far = g.network.DOMtoCanvas({ x: g.canvas.clientWidth, y: g.canvas.clientHeight });
  const inside = ({ x, y }) => x > near.x && x < far.x && y > near.y && y < far.y;
  const isHidden = ({ from, to }) => g.hiddenGroups.has(state.group[from]) || g.hiddenGroups.has(state.group[to]);
  const boxes = shown
    .filter((i) => !(g.replay && state.group[i] === "idle")) // a small grey dot may lie under a label
    .map((i) => { const r = g.size[i] * 0.8 + px; return [at[i].x - r, at[i].y - r, at[i].x + r, at[i].y + r]; });
  const lines = view.edges.filter((edge, e) => state.edge[e] !== "idle" && !isHidden(edge)).map(({ from, to }) => [at[from], at[to]]);
  const free = (box) => !boxes.some((other) => overlaps(box, other));
  const clear = (box) => !lines.some(([a, b]) => crosses(a, b, box));
  ctx.textBaseline = "middle";
  ctx.textAlign = "left";
  ctx.lineJoin = "round";
  const write = (text, [x0, y0, x1, y1], fontSize, weight, colour) => {
    ctx.font = `${weight} ${fontSize}px ${g.family}`;
    ctx.lineWidth = 3.5 * px;
    ctx.strokeStyle = C.background;
    ctx.strokeText(text, x0, (y0 + y1) / 2);
    ctx.fillStyle = colour;
    ctx.fillText(text, x0, (y0 + y1) / 2);
    boxes.push([x0, y0, x1, y1]);
    written.push({ text, box: [x0, y0, x1, y1] });
  };
  const boxAt = (left, middle, width, fontSize) => [left, middle - fontSize * 0.6, left + width, middle + fontSize * 0.6];

  const crowded = state.group.filter((group) => group === "found").length > CROWD && px > 0.83;
  const order = shown.filter((i) => inside(at[i])).map((i) => [priority(g, i), i]).sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  for (const [rank, i] of order) {
    if (crowded && rank > 7 && state.group[i] === "found") continue;
    const fontSize = (rank < 5 ? 13 : 12) * type, weight = rank < 3 ? 600 : 400, text = view.facts[i].label;
    const width = widthOf(ctx, g.family, text, weight) * fontSize, { x, y } = at[i], gap = g.size[i] + 5 * px, rise = gap + fontSize * 0.6;
    const spots = [[x + gap, y], [x - gap - width, y], [x - width / 2, y - rise], [x - width / 2, y + rise]]
      .map(([left, middle]) => boxAt(left, middle, width, fontSize));
    const fitting = spots.filter((box) => box[0] > near.x && box[2] < far.x && free(box));
    const box = fitting.find(clear) ?? fitting[0];
    if (box) write(text, box, fontSize, weight, rank < 5 ? C.ink : C.muted);
    else if (rank === 0) write(text, spots[0], fontSize, weight, C.ink); // what a person chose is always named
  }
  const told = new Set();
  for (const e of edgesToName(g)) {
    const edge = view.edges[e], text = view.words[e];
    const many = ["candidate", "walked"].includes(state.edge[e]) || (state.edge[e] === "plain" && view.edges.length > FEW);
    const once = many && g.hoveredEdge !== e && g.hovered !== edge.from && g.hovered !== edge.to;
    if (!text || isHidden(edge) || (once && told.has(text))) continue;
    const a = at[edge.from], b = at[edge.to], fontSize = 11.5 * type, width = widthOf(ctx, g.family, text, 400) * fontSize;
    const box = [0.5, 0.62, 0.38, 0.72, 0.28].map((t) => ({ x: a.x + (b.x - a.x) * t, y: a.y + (b.y - a.y) * t })).filter(inside)
      .map(({ x, y }) => boxAt(x - width / 2, y, width, fontSize)).find(free);
    if (!box) continue;
    write(text, box, fontSize, 400, state.edge[e] === "path" ? C.ink : C.muted);
    told.add(text);
  }
  return written;
}

// The links whose relation is worth a label, the most wanted first.
function edgesToName(g) {
  const { edges } = g.view, kind = g.state.edge;
  const near = (e) => [g.selected, g.hovered].some((i) => i !== null && (edges[e].from === i || edges[e].to === i));
  const rank = (e) => (e === g.hoveredEdge ? 0 : kind[e] === "path" ? 1 : near(e) ? 2 : kind[e] === "walked" ? 3 : kind[e] === "idle" ? 5 : 4);
  return edges.map((_, e) => [rank(e), e]).filter(([r]) => r < 5).sort((a, b) => a[0] - b[0] || a[1] - b[1]).map(([, e]) => e);
}
