"use strict";
// What each node and link is at a frame, from the frames up to it. No drawing.

// group: of each node. score: s_i, or -1. fresh: whether the present step is about it. edge: "idle", "candidate",
// "walked", "path", "ghost" or (without frames) "plain". walker: which agent walked a link; -1 none, -2 several.
function frameState(view) {
  const n = view.nodes.length, m = view.edges.length, replay = view.frames.length > 0;
  const between = new Map(view.edges.map((e, i) => [e.from * n + e.to, i]));
  const ghosts = view.ghosts ?? []; // links of the compared run's path that this run did not walk
  const edgeOf = (a, b) => between.get(a * n + b) ?? between.get(b * n + a);
  const state = { group: [], score: [], fresh: [], edge: [], walker: [] };
  state.compute = (frame, visibleAgents) => {
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
      if (!visibleAgents.has(f.agent)) continue;
      for (const i of f.found) raise(i, "found");
      f.candidates.forEach((i, k) => {
        raise(i, "candidate");
        if (f.scores.length) score[i] = j === frame ? f.scores[k] : Math.max(score[i], f.scores[k]);
      });
      for (const i of f.walked) raise(i, "visited");
      for (const i of f.appended) raise(i, "answer");
      for (const e of f.path) {
        walker[e] = walker[e] === -1 || walker[e] === f.agent ? f.agent : -2;
        edge[e] = "walked";
      }
    }
    // What only the compared run visited stays a ghost in every frame; `score` still tells what this run saw of it.
    const haunt = () => {
      view.facts.forEach((fact, i) => { if (fact.ghost === "other" && rank[group[i]] < rank.visited) group[i] = "ghost"; });
      for (const e of ghosts) if (edge[e] === "idle" || edge[e] === "candidate") edge[e] = "ghost";
    };
    const now = view.frames[frame];
    if (!visibleAgents.has(now.agent)) return haunt();
    for (const i of [...now.found, ...now.candidates, ...now.walked, ...now.appended]) fresh[i] = 1;
    if (now.kind === "look") for (const i of now.candidates) score[i] = -1;
    if (now.at !== null) {
      for (const i of now.candidates) {
        const e = edgeOf(now.at, i);
        if (e !== undefined && edge[e] === "idle") edge[e] = "candidate";
      }
      group[now.at] = "current";
      fresh[now.at] = 1;
    }
    for (const e of now.path) edge[e] = "path";
    haunt();
  };
  return state;
}
