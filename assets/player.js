"use strict";
// Draws a graph view and plays its frames. What a node looks like at a step follows from the frames up to it;
// only nodes whose look changed are handed to vis. Labels are drawn here, where they cover nothing. All text from
// data is set as text.
window.causewayGraph = function (root, view, hooks) {
  const part = (name) => root.querySelector(`[data-part="${name}"]`);
  const make = (tag, className, text) => {
    const element = document.createElement(tag);
    if (className) element.className = className;
    if (text !== undefined) element.textContent = text;
    return element;
  };
  const C = view.colours, n = view.nodes.length, m = view.edges.length;
  const [AGENT, INDEX, KIND, CAPTION, DETAIL, AT, PATH, WALKED, CANDIDATES, SCORES, FOUND, APPENDED] = Array(12).keys();
  const replay = view.frames.length > 0;
  const still = window.matchMedia("(prefers-reduced-motion: reduce)");
  const BEAT = 700; // ms a step
  const FEW = 40; // links that can all be named
  const index = new Map(view.facts.map((fact, i) => [fact.id, i]));
  const between = new Map(view.edges.map((e, i) => [e.from * n + e.to, i]));
  const edgeOf = (a, b) => between.get(a * n + b) ?? between.get(b * n + a);
  const shapeOf = new Map(view.legend.map((entry) => [entry.group, entry]));
  const hiddenGroups = new Set();
  const visibleAgents = new Set(view.agents.filter((a) => a.shown).map((a) => a.id));
  let frame = replay ? view.start : -1, selected = null, hovered = null, hoveredEdge = null, lit = new Set();
  let timer = null, touched = -Infinity, moved = false, zoomUnit = 1, began = 0, ink = [];

  const rgb = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
  const mix = (from, to, share) => {
    const a = rgb(from), b = rgb(to);
    return `#${a.map((v, i) => Math.round(v + (b[i] - v) * share).toString(16).padStart(2, "0")).join("")}`;
  };

  // ---- what each node and link is at a frame -------------------------------------------------------------
  const state = { group: [], score: [], fresh: [], edge: [], walker: [] };
  function compute() {
    const { group, score, fresh, edge, walker } = state;
    if (!replay) {
      view.facts.forEach((fact, i) => { group[i] = fact.group; score[i] = -1; fresh[i] = 1; });
      edge.length = m;
      edge.fill("plain");
      return;
    }
    for (let i = 0; i < n; i++) { group[i] = "idle"; score[i] = -1; fresh[i] = 0; }
    for (let i = 0; i < m; i++) { edge[i] = "idle"; walker[i] = -1; }
    const rank = { idle: 0, found: 1, candidate: 2, visited: 3, answer: 4 };
    const raise = (i, to) => { if (rank[to] > rank[group[i]]) group[i] = to; };
    for (let j = 0; j <= frame; j++) {
      const f = view.frames[j];
      if (!visibleAgents.has(f[AGENT])) continue;
      for (const i of f[FOUND]) raise(i, "found");
      f[CANDIDATES].forEach((i, k) => {
        raise(i, "candidate");
        if (f[SCORES].length) score[i] = j === frame ? f[SCORES][k] : Math.max(score[i], f[SCORES][k]);
      });
      for (const i of f[WALKED]) raise(i, "visited");
      for (const i of f[APPENDED]) raise(i, "answer");
      for (const e of f[PATH]) {
        walker[e] = walker[e] === -1 || walker[e] === f[AGENT] ? f[AGENT] : -2;
        edge[e] = "walked";
      }
    }
    const now = view.frames[frame];
    if (!visibleAgents.has(now[AGENT])) return;
    for (const list of [now[FOUND], now[CANDIDATES], now[WALKED], now[APPENDED]]) for (const i of list) fresh[i] = 1;
    if (now[KIND] === "look") for (const i of now[CANDIDATES]) score[i] = -1;
    if (now[AT] !== null) {
      for (const i of now[CANDIDATES]) {
        const e = edgeOf(now[AT], i);
        if (e !== undefined && edge[e] === "idle") edge[e] = "candidate";
      }
      group[now[AT]] = "current";
      fresh[now[AT]] = 1;
    }
    for (const e of now[PATH]) edge[e] = "path";
  }

  // ---- how that looks ------------------------------------------------------------------------------------
  const size = new Float64Array(n);
  function nodeStyle(i) {
    const group = state.group[i], score = state.score[i], strong = state.fresh[i] || lit.has(i) || i === selected;
    const fact = view.facts[i];
    let role = fact.role, fill = null, hollow = false, scale = 1;
    if (replay) {
      role = { current: "current", answer: "answer", visited: "visited", candidate: "visited", found: "attribute", idle: "idle" }[group];
      if (group === "candidate") {
        hollow = true; // what fills it is drawn over it, by score
        scale = score < 0 ? 0.72 : 0.6 + 0.3 * score;
        fill = C.background;
      }
      if (group === "found" && !strong) scale = 0.7;
    } else {
      hollow = Boolean(shapeOf.get(group)?.hollow);
    }
    const style = view.roles[role];
    const colour = C[role];
    size[i] = (replay ? style.size * scale : view.nodes[i].size) * zoomUnit;
    return {
      id: i,
      shape: replay ? style.shape : view.nodes[i].shape,
      size: size[i],
      color: { background: fill ?? colour, border: hollow ? colour : C.background },
      borderWidth: hollow ? 2 * zoomUnit : 1.5 * zoomUnit,
      opacity: !replay || strong ? 1 : { idle: 0.55, candidate: 0.62, found: 0.62 }[group] ?? 1,
      hidden: hiddenGroups.has(group),
    };
  }
  function edgeStyle(e) {
    const kind = state.edge[e], { from, to } = view.edges[e];
    const touchedByHover = e === hoveredEdge || (hovered !== null && (from === hovered || to === hovered));
    const agent = state.walker[e];
    const dash = kind === "walked" && agent >= 0 ? view.dashes[agent % view.dashes.length] : [];
    const look = {
      plain: [mix(C.background, C.idle, 0.6), 1.2, m > FEW ? 0 : 0.5],
      idle: [C.faint, 1, 0],
      candidate: [C.idle, 1.2, 0.45],
      walked: [C.visited, 2.2, 0.55],
      path: [C.current, 3.2, 0.6],
    }[kind];
    const [forward, backward] = view.links[e];
    const colour = touchedByHover && kind !== "path" ? C.ink : look[0];
    const head = touchedByHover ? Math.max(look[2], 0.5) : look[2];
    return {
      id: e,
      color: { color: colour, opacity: 1, inherit: false },
      width: look[1] * (kind === "idle" ? 1 : zoomUnit),
      dashes: dash.length ? dash.map((d) => d * zoomUnit) : false,
      arrows: {
        to: { enabled: head > 0 && forward.length > 0, scaleFactor: head },
        from: { enabled: head > 0 && backward.length > 0, scaleFactor: head },
      },
      hidden: hiddenGroups.has(state.group[from]) || hiddenGroups.has(state.group[to]),
    };
  }

  const nodes = new vis.DataSet(view.nodes.map((node) => ({ ...node, label: undefined, chosen: false })));
  const edges = new vis.DataSet(view.edges.map((edge) => ({ ...edge, chosen: false })));
  const canvas = part("canvas"), stage = part("stage"), tip = part("tip");
  const network = new vis.Network(canvas, { nodes, edges }, {
    physics: false,
    layout: { improvedLayout: false },
    edges: { smooth: false, selectionWidth: 0, hoverWidth: 0 },
    interaction: { hover: true, keyboard: false, zoomView: false, tooltipDelay: 1e6, hideEdgesOnDrag: false },
  });
  const drawn = { node: [], edge: [] };
  function paint() {
    compute();
    const apply = (set, kind, count, style) => {
      const changed = [];
      for (let i = 0; i < count; i++) {
        const look = style(i), key = JSON.stringify(look);
        if (drawn[kind][i] === key) continue;
        drawn[kind][i] = key;
        changed.push(look);
      }
      if (changed.length) set.update(changed);
    };
    apply(nodes, "node", n, nodeStyle);
    apply(edges, "edge", m, edgeStyle);
    counts();
    network.redraw();
  }

  // ---- labels, rings and the dot that walks --------------------------------------------------------------
  const family = getComputedStyle(document.body).fontFamily;
  const measured = new Map();
  function widthOf(ctx, text, weight) {
    const key = weight + text;
    if (!measured.has(key)) {
      ctx.font = `${weight} 100px ${family}`;
      measured.set(key, ctx.measureText(text).width / 100);
    }
    return measured.get(key);
  }
  const PRIORITY = { current: 1, answer: 2, visited: 3, candidate: 5, found: 7, idle: 9 };
  function priority(i) {
    if (i === selected || i === hovered || lit.has(i)) return 0;
    if (!replay) return view.facts[i].pinned ? 1 : 5;
    const base = PRIORITY[state.group[i]] + (state.fresh[i] ? 0 : 0.9);
    return state.group[i] === "candidate" ? base - Math.max(0, state.score[i]) * 1.5 : base;
  }
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
  function overlay(ctx) {
    const scale = network.getScale(), px = 1 / scale, at = network.getPositions();
    const boxes = [];
    const free = (box) => !boxes.some((b) => b[0] < box[2] && box[0] < b[2] && b[1] < box[3] && box[1] < b[3]);
    const shown = [];
    for (let i = 0; i < n; i++) {
      if (hiddenGroups.has(state.group[i])) continue;
      shown.push(i);
      if (replay && state.group[i] === "idle") continue; // a small grey dot may lie under a label
      const r = size[i] * 0.8 + 1 * px;
      boxes.push([at[i].x - r, at[i].y - r, at[i].x + r, at[i].y + r]);
    }
    const ring = (i, colour, gap, width, alpha = 1) => {
      ctx.beginPath();
      ctx.arc(at[i].x, at[i].y, size[i] + gap * px, 0, 2 * Math.PI);
      ctx.globalAlpha = alpha;
      ctx.strokeStyle = colour;
      ctx.lineWidth = width * px;
      ctx.stroke();
      ctx.globalAlpha = 1;
    };
    for (const i of shown) {
      const score = state.score[i];
      if (state.group[i] !== "candidate" || score <= 0) continue;
      ctx.beginPath();
      ctx.arc(at[i].x, at[i].y, Math.max(0, size[i] - 3.2 * zoomUnit) * Math.sqrt(Math.min(1, score)), 0, 2 * Math.PI);
      ctx.globalAlpha = (0.35 + 0.65 * score) * (state.fresh[i] || lit.has(i) || i === selected ? 1 : 0.62);
      ctx.fillStyle = C.visited;
      ctx.fill();
      ctx.globalAlpha = 1;
    }
    for (const i of lit) if (shown.includes(i)) ring(i, C.answer, 7, 4, 0.55);
    if (selected !== null && shown.includes(selected)) ring(selected, C.ink, 5, 2);
    walkingDot(ctx, at, px, ring);

    ctx.textBaseline = "middle";
    ctx.textAlign = "left";
    ctx.lineJoin = "round";
    ink = [];
    const write = (text, x, y, width, fontSize, weight, colour) => {
      ctx.font = `${weight} ${fontSize}px ${family}`;
      ctx.lineWidth = 3.5 * px;
      ctx.strokeStyle = C.background;
      ctx.strokeText(text, x, y);
      ctx.fillStyle = colour;
      ctx.fillText(text, x, y);
      const box = [x, y - fontSize * 0.6, x + width, y + fontSize * 0.6];
      boxes.push(box);
      ink.push({ text, box });
    };
    const strokes = [];
    for (let e = 0; e < m; e++) {
      const { from, to } = view.edges[e];
      if (state.edge[e] === "idle" || hiddenGroups.has(state.group[from]) || hiddenGroups.has(state.group[to])) continue;
      strokes.push([at[from], at[to]]);
    }
    const uncrossed = (box) => !strokes.some(([a, b]) => crosses(a, b, box));
    const corner = network.DOMtoCanvas({ x: 0, y: 0 });
    const far = network.DOMtoCanvas({ x: canvas.clientWidth, y: canvas.clientHeight });
    const inside = (x, y) => x > corner.x && x < far.x && y > corner.y && y < far.y;
    const order = shown.filter((i) => inside(at[i].x, at[i].y)).map((i) => [priority(i), i]).sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    const crowd = state.group.filter((group) => group === "found").length > 10 && scale < 1.2;
    for (const [rank, i] of order) {
      if (crowd && rank > 7 && state.group[i] === "found") continue; // a search's other finds are named on hover
      const strong = rank < 5, fontSize = (strong ? 13 : 12) * px, weight = rank < 3 ? 600 : 400;
      const text = view.facts[i].label, width = widthOf(ctx, text, weight) * fontSize;
      const { x, y } = at[i], gap = size[i] + 5 * px, half = fontSize * 0.6;
      const spots = [[x + gap, y], [x - gap - width, y], [x - width / 2, y - gap - half], [x - width / 2, y + gap + half]];
      const fits = ([left, middle], further) => {
        const box = [left, middle - half, left + width, middle + half];
        return left > corner.x && left + width < far.x && free(box) && (!further || uncrossed(box));
      };
      const spot = spots.find((s) => fits(s, true)) ?? spots.find((s) => fits(s, false));
      if (spot) write(text, spot[0], spot[1], width, fontSize, weight, strong ? C.ink : C.muted);
      else if (rank === 0) write(text, spots[0][0], spots[0][1], width, fontSize, weight, C.ink);
    }
    const told = new Set();
    for (const e of edgesToName()) {
      const { from, to } = view.edges[e], text = view.words[e];
      if (!text || hiddenGroups.has(state.group[from]) || hiddenGroups.has(state.group[to])) continue;
      const many = ["candidate", "walked"].includes(state.edge[e]) || (state.edge[e] === "plain" && m > FEW);
      const once = many && hoveredEdge !== e && hovered !== from && hovered !== to;
      if (once && told.has(text)) continue;
      const fontSize = 11.5 * px, width = widthOf(ctx, text, 400) * fontSize, half = fontSize * 0.6;
      for (const t of [0.5, 0.62, 0.38, 0.72, 0.28]) {
        const x = at[from].x + (at[to].x - at[from].x) * t, y = at[from].y + (at[to].y - at[from].y) * t;
        if (!inside(x, y) || !free([x - width / 2, y - half, x + width / 2, y + half])) continue;
        write(text, x - width / 2, y, width, fontSize, 400, state.edge[e] === "path" ? C.ink : C.muted);
        told.add(text);
        break;
      }
    }
  }
  function edgesToName() {
    const near = (e) => [selected, hovered].some((i) => i !== null && (view.edges[e].from === i || view.edges[e].to === i));
    const all = [...Array(m).keys()];
    const strength = (e) => (e === hoveredEdge ? 0 : state.edge[e] === "path" ? 1 : near(e) ? 2 : state.edge[e] === "walked" ? 3 : 4);
    const wanted = (e) => e === hoveredEdge || near(e) || ["path", "walked", "candidate"].includes(state.edge[e]) || !replay;
    return all.filter(wanted).sort((a, b) => strength(a) - strength(b) || a - b);
  }
  function walkingDot(ctx, at, px, ring) {
    if (!replay || still.matches) return;
    const passed = (performance.now() - began) / (BEAT * 0.75);
    const now = view.frames[frame];
    if (passed >= 1 || !visibleAgents.has(now[AGENT])) return;
    const target = now[AT];
    if (target !== null) ring(target, C.current, 4 + 16 * passed, 3, 1 - passed);
    if (now[KIND] === "append") for (const i of now[APPENDED]) ring(i, C.answer, 2 + 14 * passed, 3, 1 - passed);
    const line = now[KIND] === "look" ? now[WALKED] : [];
    if (line.length > 1) {
      const along = passed * (line.length - 1), leg = Math.min(Math.floor(along), line.length - 2), t = along - leg;
      const a = at[line[leg]], b = at[line[leg + 1]];
      ctx.beginPath();
      ctx.arc(a.x + (b.x - a.x) * t, a.y + (b.y - a.y) * t, 6 * px, 0, 2 * Math.PI);
      ctx.fillStyle = C.current;
      ctx.fill();
    }
    requestAnimationFrame(() => network.redraw());
  }
  network.on("afterDrawing", overlay);

  // ---- view: zoom, fit, tooltip --------------------------------------------------------------------------
  const motion = () => (still.matches ? false : { duration: 200, easingFunction: "easeInOutQuad" });
  const READABLE = 0.42; // the zoom below which a big run opens on its current node instead of as a whole
  function fit(whole = true) {
    moved = false;
    if (!n) return;
    const xs = view.nodes.map((v) => v.x), ys = view.nodes.map((v) => v.y);
    const low = [Math.min(...xs), Math.min(...ys)], high = [Math.max(...xs), Math.max(...ys)];
    // Labels stand right of their nodes at a fixed size on the screen: leave room for them.
    const width = Math.max(canvas.clientWidth - 210, 120), height = Math.max(canvas.clientHeight - 64, 80);
    const entire = Math.max(0.05, Math.min(1.25, width / Math.max(1, high[0] - low[0]), height / Math.max(1, high[1] - low[1])));
    const scale = whole ? entire : Math.max(READABLE, entire);
    const unit = Math.min(1.3, Math.max(0.85, 0.8 / scale));
    const shift = replay ? 64 / scale : 0;
    network.moveTo({ position: { x: (low[0] + high[0]) / 2 + shift, y: (low[1] + high[1]) / 2 }, scale, animation: false });
    if (unit !== zoomUnit) { zoomUnit = unit; paint(); }
    if (scale > entire) {
      const now = replay ? view.frames[frame] : null;
      network.moveTo({ position: network.getPosition(now?.[AT] ?? now?.[APPENDED][0] ?? now?.[WALKED][0] ?? 0), scale, animation: false });
    }
  }
  function zoom(by, pointer) {
    moved = true;
    const scale = Math.min(5, Math.max(0.05, network.getScale() * by));
    if (!pointer) return network.moveTo({ scale, animation: motion() });
    const before = network.DOMtoCanvas(pointer), middle = network.getViewPosition(), ratio = network.getScale() / scale;
    network.moveTo({
      scale,
      position: { x: before.x + (middle.x - before.x) * ratio, y: before.y + (middle.y - before.y) * ratio },
      animation: false,
    });
  }
  function follow(i) {
    const at = network.canvasToDOM(network.getPosition(i));
    const edge = Math.min(72, canvas.clientWidth / 6, canvas.clientHeight / 6);
    const inside = at.x > edge && at.y > edge && at.x < canvas.clientWidth - edge && at.y < canvas.clientHeight - edge;
    if (!inside) network.moveTo({ position: network.getPosition(i), animation: motion() });
  }
  part("fit").onclick = () => fit();
  part("closer").onclick = () => zoom(1.3);
  part("farther").onclick = () => zoom(1 / 1.3);
  let hintTimer = null;
  stage.addEventListener("wheel", (event) => {
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      const box = canvas.getBoundingClientRect();
      return zoom(event.deltaY < 0 ? 1.15 : 1 / 1.15, { x: event.clientX - box.left, y: event.clientY - box.top });
    }
    part("hint").hidden = false;
    clearTimeout(hintTimer);
    hintTimer = setTimeout(() => { part("hint").hidden = true; }, 1200);
  }, { passive: false });
  network.on("dragEnd", () => { moved = true; });
  new ResizeObserver(() => { if (!moved) fit(false); }).observe(canvas);

  const GROUP_WORDS = new Map(view.legend.map((entry) => [entry.group, entry.label]));
  function showTip(lines, pointer) {
    tip.replaceChildren(...lines.filter(Boolean).map((line) => { const div = make("div", "", line); div.dir = "auto"; return div; }));
    tip.hidden = false;
    const x = pointer.x + 16, y = pointer.y + 16;
    tip.style.left = `${Math.max(4, Math.min(x, stage.clientWidth - tip.offsetWidth - 4))}px`;
    tip.style.top = `${Math.max(4, y + tip.offsetHeight > stage.clientHeight ? pointer.y - tip.offsetHeight - 12 : y)}px`;
  }
  const hideTip = () => { tip.hidden = true; };
  network.on("hoverNode", ({ node, pointer }) => {
    hovered = node;
    canvas.style.cursor = "pointer";
    const fact = view.facts[node], score = state.score[node];
    const role = replay ? GROUP_WORDS.get(state.group[node]) : "";
    showTip([fact.name || fact.label, [fact.type, role].filter(Boolean).join(" · "),
      score >= 0 ? `score s = ${score.toFixed(2)}` : "", fact.note], pointer.DOM);
    paint();
  });
  network.on("blurNode", () => { hovered = null; canvas.style.cursor = ""; hideTip(); paint(); });
  network.on("hoverEdge", ({ edge, pointer }) => {
    if (hovered !== null) return;
    hoveredEdge = edge;
    const { from, to } = view.edges[edge], [forward, backward] = view.links[edge];
    const name = (i) => `\u2068${view.facts[i].label}\u2069`;
    showTip([...forward.map((t) => `${name(from)} → ${t} → ${name(to)}`), ...backward.map((t) => `${name(to)} → ${t} → ${name(from)}`)], pointer.DOM);
    paint();
  });
  network.on("blurEdge", () => { if (hoveredEdge === null) return; hoveredEdge = null; hideTip(); paint(); });
  network.on("dragStart", hideTip);

  // ---- choosing ------------------------------------------------------------------------------------------
  function select(id, byPerson = false) {
    const i = id === null || id === undefined ? null : index.get(String(id)) ?? null;
    if (i === selected && !byPerson) return;
    selected = i;
    paint();
    if (i !== null && !byPerson) follow(i);
    if (byPerson) { touched = performance.now(); hooks.onNode?.(i === null ? null : view.facts[i].id); }
    hooks.onChange?.();
  }
  function light(ids) {
    lit = new Set(ids.map((id) => index.get(String(id))).filter((i) => i !== undefined));
    paint();
    if (lit.size === 1) follow([...lit][0]);
    return lit.size;
  }
  network.on("click", ({ nodes: hit }) => select(hit.length ? view.facts[hit[0]].id : null, true));
  const find = part("find");
  part("names").append(...view.facts.map((fact) => { const option = make("option"); option.value = fact.name; if (fact.type) option.label = `${fact.name} (${fact.type})`; return option; }));
  find.addEventListener("change", () => {
    const asked = find.value.trim().toLowerCase();
    if (!asked) return;
    const exact = view.facts.findIndex((fact) => fact.name.toLowerCase() === asked);
    const i = exact >= 0 ? exact : view.facts.findIndex((fact) => fact.name.toLowerCase().includes(asked));
    find.setCustomValidity(i < 0 ? "No drawn node has this name." : "");
    find.reportValidity();
    if (i < 0) return;
    select(view.facts[i].id, true);
    follow(i);
  });
  find.addEventListener("input", () => find.setCustomValidity(""));

  // ---- legend --------------------------------------------------------------------------------------------
  const legendCount = new Map();
  function shapeIcon(entry) {
    const icon = make("i", `shape ${entry.shape}${entry.hollow ? " hollow" : ""}${entry.role === "idle" ? " small" : ""}`);
    icon.style.color = C[entry.role];
    icon.setAttribute("aria-hidden", "true");
    return icon;
  }
  for (const entry of view.legend) {
    const button = make("button"), number = make("b");
    button.type = "button";
    button.setAttribute("aria-pressed", "true");
    button.append(shapeIcon(entry), make("span", "", entry.label), number);
    button.onclick = () => {
      const hide = !hiddenGroups.delete(entry.group);
      if (hide) hiddenGroups.add(entry.group);
      button.setAttribute("aria-pressed", String(!hide));
      paint();
    };
    legendCount.set(entry.group, number);
    part("legend").append(button);
  }
  part("shown").textContent = view.shown;
  function counts() {
    const tally = new Map();
    for (let i = 0; i < n; i++) tally.set(state.group[i], (tally.get(state.group[i]) ?? 0) + 1);
    for (const [group, element] of legendCount) element.textContent = (tally.get(group) ?? 0).toLocaleString("en");
  }

  // ---- playing -------------------------------------------------------------------------------------------
  const slider = part("slider"), play = part("play"), last = view.frames.length - 1;
  const place = (j) => (last > 0 ? j / last : 0.5);
  const left = (j) => `calc(8px + (100% - 16px) * ${place(j)})`;
  const marks = [];
  function goToFrame(j, byPerson = false) {
    frame = Math.max(0, Math.min(last, j));
    began = performance.now();
    paint();
    const f = view.frames[frame], shown = visibleAgents.has(f[AGENT]);
    part("said").textContent = shown ? f[CAPTION] : `${view.agents.find((a) => a.id === f[AGENT]).name} is hidden`;
    part("why").textContent = shown ? f[DETAIL] : "";
    part("count").textContent = `${frame + 1} of ${last + 1}`;
    slider.value = String(frame);
    slider.setAttribute("aria-valuetext", `${frame + 1} of ${last + 1}. ${f[CAPTION]}`);
    placeHead();
    marks.forEach((mark, k) => mark.classList.toggle("now", k === frame));
    part("back").disabled = nearest(-1) === null;
    part("next").disabled = nearest(1) === null;
    if (shown && f[AT] !== null) follow(f[AT]);
    if (byPerson) { touched = performance.now(); if (!timer) hooks.onStep?.(f[AGENT], f[INDEX]); }
    hooks.onChange?.();
  }
  function placeHead() {
    const track = slider.parentElement;
    part("head").style.left = `${track.offsetLeft + 8 + (track.offsetWidth - 16) * place(frame)}px`;
  }
  function nearest(direction) {
    for (let j = frame + direction; j >= 0 && j <= last; j += direction) if (visibleAgents.has(view.frames[j][AGENT])) return j;
    return null;
  }
  function pause() {
    clearInterval(timer);
    timer = null;
    play.textContent = "Play";
    part("caption").setAttribute("aria-live", "polite");
    touched = performance.now();
    hooks.onStep?.(view.frames[frame][AGENT], view.frames[frame][INDEX]);
  }
  function start() {
    if (nearest(1) === null) goToFrame(view.frames.findIndex((f) => visibleAgents.has(f[AGENT])), false);
    play.textContent = "Pause";
    part("caption").setAttribute("aria-live", "off");
    timer = setInterval(() => {
      const j = nearest(1);
      if (j !== null) goToFrame(j, true);
      if (nearest(1) === null) pause();
    }, BEAT);
  }
  const step = (direction) => { if (timer) pause(); const j = nearest(direction); if (j !== null) goToFrame(j, true); };
  function lanes() {
    const NAMES = { read: "shape dot small", search: "shape triangle", look: "ring", weigh: "shape dot", append: "shape diamond", finish: "end", failed: "cross" };
    const COLOURS = { read: C.idle, search: C.attribute, look: C.visited, weigh: C.visited, append: C.answer, finish: C.ink, failed: C.ink };
    part("time").classList.toggle("dense", last > 120);
    for (const agent of view.agents) {
      const button = make("button", "cw-agent"), sample = make("canvas"), words = make("span", "", agent.name), lane = make("div", "cw-lane");
      button.type = "button";
      button.setAttribute("aria-pressed", String(visibleAgents.has(agent.id)));
      button.title = `${[agent.name, agent.note].filter(Boolean).join(": ")}. Press to show or hide.`;
      lane.classList.toggle("off", !visibleAgents.has(agent.id));
      sample.width = 56;
      sample.height = 16;
      const ctx = sample.getContext("2d");
      ctx.setLineDash(view.dashes[agent.id % view.dashes.length].map((d) => d * 0.9));
      ctx.strokeStyle = C.visited;
      ctx.lineWidth = 5;
      ctx.moveTo(0, 8);
      ctx.lineTo(56, 8);
      ctx.stroke();
      if (agent.note) words.append(" ", make("small", "", agent.note));
      button.append(sample, words);
      button.onclick = () => {
        if (!visibleAgents.delete(agent.id)) visibleAgents.add(agent.id);
        button.setAttribute("aria-pressed", String(visibleAgents.has(agent.id)));
        lane.classList.toggle("off", !visibleAgents.has(agent.id));
        goToFrame(frame);
      };
      view.frames.forEach((f, j) => {
        if (f[AGENT] !== agent.id) return;
        const mark = make("i", NAMES[f[KIND]]);
        mark.style.left = left(j);
        mark.style.color = COLOURS[f[KIND]];
        marks[j] = mark;
        lane.append(mark);
      });
      const framesHere = view.frames.flatMap((f, j) => (f[AGENT] === agent.id ? [j] : []));
      const closest = (event) => {
        const box = lane.getBoundingClientRect(), share = (event.clientX - box.left - 8) / Math.max(1, box.width - 16);
        return framesHere.reduce((a, b) => (Math.abs(place(b) - share) < Math.abs(place(a) - share) ? b : a));
      };
      if (framesHere.length) {
        lane.onclick = (event) => { if (timer) pause(); goToFrame(closest(event), true); };
        lane.onmousemove = (event) => { lane.title = view.frames[closest(event)][CAPTION]; };
      }
      part("lanes").append(button, lane);
    }
  }
  if (replay) {
    part("caption").hidden = part("time").hidden = false;
    slider.max = String(last);
    lanes();
    slider.oninput = () => { if (timer) pause(); goToFrame(Number(slider.value)); };
    slider.onchange = () => goToFrame(Number(slider.value), true);
    part("back").onclick = () => step(-1);
    part("next").onclick = () => step(1);
    play.onclick = () => (timer ? pause() : start());
    new ResizeObserver(placeHead).observe(part("time"));
  }
  root.addEventListener("keydown", (event) => {
    if (event.target.matches("input, button") || event.ctrlKey || event.metaKey || event.altKey) return;
    const act = { "+": () => zoom(1.3), "=": () => zoom(1.3), "-": () => zoom(1 / 1.3), 0: () => fit(), Escape: () => select(null, true) };
    if (replay) Object.assign(act, { ArrowLeft: () => step(-1), ArrowRight: () => step(1), " ": () => play.click() });
    if (!act[event.key]) return;
    event.preventDefault();
    act[event.key]();
  });

  selected = view.selected === null ? null : index.get(view.selected) ?? null;
  paint();
  fit(false);
  if (replay) goToFrame(frame);
  began = -Infinity; // nothing walks until someone steps

  return {
    network,
    nodes,
    edges,
    state,
    select,
    light,
    idle: () => performance.now() - touched,
    frame: () => (replay ? view.frames[frame] : null),
    selectedId: () => (selected === null ? null : view.facts[selected].id),
    goTo: (agent, at) => { const j = view.frames.findIndex((f) => f[AGENT] === agent && f[INDEX] === at); if (j >= 0 && j !== frame) goToFrame(j); return j >= 0; },
    showFrame: (j, byPerson) => goToFrame(j, byPerson),
    labels: () => ink.map((entry) => ({ ...entry })),
    // Where a node is in this document, in px: for tests and for tours.
    point: (id) => {
      const at = network.canvasToDOM(network.getPosition(index.get(String(id)))), box = canvas.getBoundingClientRect();
      return { x: box.left + at.x, y: box.top + at.y };
    },
  };
};
