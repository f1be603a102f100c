"use strict";
// What a node and a link look like, from what they are at the present frame; as vis-network wants it told.

const ROLE_OF = { current: "current", answer: "answer", visited: "visited", candidate: "visited", found: "attribute", idle: "idle", ghost: "idle" };
const FEW = 40; // links that can all be named and carry arrow heads

function mixed(from, to, share) {
  const rgb = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
  const a = rgb(from), b = rgb(to);
  return `#${a.map((v, i) => Math.round(v + (b[i] - v) * share).toString(16).padStart(2, "0")).join("")}`;
}

// Whether the present step, or a person's choice, is about the node.
const isStrong = (g, i) => Boolean(g.state.fresh[i]) || g.lit.has(i) || i === g.selected;

function nodeLook(g, i) {
  const { view, state } = g, C = view.colours, group = state.group[i], score = state.score[i], strong = isStrong(g, i);
  const role = g.replay ? ROLE_OF[group] : view.facts[i].role, style = view.roles[role];
  const hollow = g.replay ? group === "candidate" || group === "ghost" : g.hollowGroups.has(group); // what fills a candidate is drawn over it
  let scale = 1;
  if (group === "candidate") scale = score < 0 ? 0.72 : 0.6 + 0.3 * score;
  if (group === "found" && !strong) scale = 0.7;
  if (group === "ghost") scale = 1.7;
  g.size[i] = (g.replay ? style.size * scale : view.nodes[i].size) * g.unit;
  return {
    id: i,
    shape: g.replay ? style.shape : view.nodes[i].shape,
    size: g.size[i],
    color: { background: hollow ? C.background : C[role], border: hollow ? C[role] : C.background },
    borderWidth: (hollow ? 2 : 1.5) * g.unit,
    shapeProperties: { borderDashes: group === "ghost" ? [4, 3] : false },
    opacity: !g.replay || strong ? 1 : { idle: 0.55, candidate: 0.62, found: 0.62 }[group] ?? 1,
    hidden: g.hiddenGroups.has(group),
  };
}

function edgeLook(g, e) {
  const { view, state } = g, C = view.colours, { from, to } = view.edges[e], kind = state.edge[e], agent = state.walker[e];
  const [colour, width, head] = {
    plain: [mixed(C.background, C.idle, 0.6), 1.2, view.edges.length > FEW ? 0 : 0.5],
    idle: [C.faint, 1, 0],
    candidate: [C.idle, 1.2, 0.45],
    walked: [C.visited, 2.2, 0.55],
    ghost: [C.idle, 1.8, 0.55],
    path: [C.current, 3.2, 0.6],
  }[kind];
  const near = e === g.hoveredEdge || (g.hovered !== null && (from === g.hovered || to === g.hovered));
  const heads = near ? Math.max(head, 0.5) : head, [forward, backward] = view.links[e];
  const dash = kind === "ghost" ? [5, 5] : kind === "walked" && agent >= 0 ? view.dashes[agent % view.dashes.length] : [];
  return {
    id: e,
    color: { color: near && kind !== "path" ? C.ink : colour, opacity: 1, inherit: false },
    width: width * (kind === "idle" ? 1 : g.unit),
    dashes: dash.length ? dash.map((d) => d * g.unit) : false,
    arrows: {
      to: { enabled: heads > 0 && forward.length > 0, scaleFactor: heads },
      from: { enabled: heads > 0 && backward.length > 0, scaleFactor: heads },
    },
    hidden: g.hiddenGroups.has(state.group[from]) || g.hiddenGroups.has(state.group[to]),
  };
}
