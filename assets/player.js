"use strict";
// A graph view in the page: drawn by vis-network, played, searched, filtered, and told what is chosen. All text from
// data is set as text. `hooks`: onNode(id or null) and onStep(agent, index) after a person's choice, onChange() after any.
window.causewayGraph = function (root, view, hooks) {
  const part = (name) => root.querySelector(`[data-part="${name}"]`);
  const make = (tag, className, text) => {
    const element = document.createElement(tag);
    if (className) element.className = className;
    if (text !== undefined) element.textContent = text;
    return element;
  };
  const nodes = new vis.DataSet(view.nodes.map((node) => ({ ...node, label: undefined, chosen: false })));
  const edges = new vis.DataSet(view.edges.map((edge) => ({ ...edge, chosen: false })));
  const canvas = part("canvas"), stage = part("stage"), tip = part("tip");
  const network = new vis.Network(canvas, { nodes, edges }, {
    physics: false,
    layout: { improvedLayout: false },
    edges: { smooth: false, selectionWidth: 0, hoverWidth: 0 },
    interaction: { hover: true, keyboard: false, zoomView: false, tooltipDelay: 1e6, hideEdgesOnDrag: false },
  });
  const g = {
    view, network, canvas, part, make,
    replay: view.frames.length > 0,
    still: window.matchMedia("(prefers-reduced-motion: reduce)"),
    family: getComputedStyle(document.body).fontFamily,
    state: frameState(view),
    size: new Float64Array(view.nodes.length), // drawn radius of each node
    unit: 1, // how much larger than their role's size nodes are drawn
    frame: view.start,
    began: -Infinity, // when the present frame was stepped to
    selected: null, hovered: null, hoveredEdge: null, lit: new Set(),
    hiddenGroups: new Set(),
    hollowGroups: new Set(view.legend.filter((entry) => entry.hollow).map((entry) => entry.group)),
    visibleAgents: new Set(view.agents.filter((agent) => agent.shown).map((agent) => agent.id)),
  };
  const index = new Map(view.facts.map((fact, i) => [fact.id, i]));
  const position = (id) => (id === null || id === undefined ? null : index.get(String(id)) ?? null);
  let touched = -Infinity, ink = [];

  // ---- drawing: only what looks different from before is handed to vis -----------------------------------
  const drawn = new Map([[nodes, []], [edges, []]]);
  function apply(set, count, look) {
    const changed = [];
    for (let i = 0; i < count; i++) {
      const now = look(g, i), key = JSON.stringify(now);
      if (drawn.get(set)[i] === key) continue;
      drawn.get(set)[i] = key;
      changed.push(now);
    }
    if (changed.length) set.update(changed);
  }
  function paint() {
    g.state.compute(g.frame, g.visibleAgents);
    apply(nodes, view.nodes.length, nodeLook);
    apply(edges, view.edges.length, edgeLook);
    count();
    network.redraw();
  }
  network.on("afterDrawing", (ctx) => { ink = drawOver(ctx, g); });
  const camera = makeCamera(g, paint);

  // ---- tooltips ------------------------------------------------------------------------------------------
  const groupWords = new Map(view.legend.map((entry) => [entry.group, entry.label]));
  function showTip(lines, pointer) {
    tip.replaceChildren(...lines.filter(Boolean).map((line) => Object.assign(make("div", "", line), { dir: "auto" })));
    tip.hidden = false;
    const below = pointer.y + 16, tooLow = below + tip.offsetHeight > stage.clientHeight;
    tip.style.left = `${Math.max(4, Math.min(pointer.x + 16, stage.clientWidth - tip.offsetWidth - 4))}px`;
    tip.style.top = `${Math.max(4, tooLow ? pointer.y - tip.offsetHeight - 12 : below)}px`;
  }
  function leave() {
    g.hovered = g.hoveredEdge = null;
    canvas.style.cursor = "";
    tip.hidden = true;
    paint();
  }
  network.on("hoverNode", ({ node, pointer }) => {
    g.hovered = node;
    canvas.style.cursor = "pointer";
    const fact = view.facts[node], score = g.state.score[node], role = g.replay ? groupWords.get(g.state.group[node]) : "";
    const lines = [fact.name || fact.label, [fact.type, role].filter(Boolean).join(" · "), score >= 0 ? `score s = ${score.toFixed(2)}` : "", fact.note];
    showTip(lines, pointer.DOM);
    paint();
  });
  network.on("hoverEdge", ({ edge, pointer }) => {
    if (g.hovered !== null) return;
    g.hoveredEdge = edge;
    const { from, to } = view.edges[edge], [forward, backward] = view.links[edge];
    const say = (a, type, b) => `\u2068${view.facts[a].label}\u2069 → ${type} → \u2068${view.facts[b].label}\u2069`;
    showTip([...forward.map((type) => say(from, type, to)), ...backward.map((type) => say(to, type, from))], pointer.DOM);
    paint();
  });
  network.on("blurNode", leave);
  network.on("blurEdge", () => { if (g.hoveredEdge !== null) leave(); });
  network.on("dragStart", () => { tip.hidden = true; });

  // ---- choosing and finding ------------------------------------------------------------------------------
  function select(id, byPerson = false) {
    const i = position(id);
    if (i === g.selected && !byPerson) return;
    g.selected = i;
    paint();
    if (byPerson) {
      touched = performance.now();
      hooks.onNode?.(i === null ? null : view.facts[i].id);
    } else if (i !== null) camera.follow(i);
    hooks.onChange?.();
  }
  function light(ids) {
    g.lit = new Set(ids.map(position).filter((i) => i !== null));
    paint();
    if (g.lit.size === 1) camera.follow([...g.lit][0]);
    return g.lit.size;
  }
  network.on("click", ({ nodes: hit }) => select(hit.length ? view.facts[hit[0]].id : null, true));
  const find = part("find");
  part("names").append(...view.facts.map((fact) => {
    const label = fact.type ? `${fact.name} (${fact.type})` : fact.name;
    return Object.assign(make("option"), { value: fact.name, label });
  }));
  find.addEventListener("input", () => find.setCustomValidity(""));
  find.addEventListener("change", () => {
    const asked = find.value.trim().toLowerCase(), names = view.facts.map((fact) => fact.name.toLowerCase());
    if (!asked) return;
    const i = names.includes(asked) ? names.indexOf(asked) : names.findIndex((name) => name.includes(asked));
    find.setCustomValidity(i < 0 ? "No drawn node has this name." : "");
    find.reportValidity();
    if (i < 0) return;
    select(view.facts[i].id, true);
    camera.follow(i);
  });

  // ---- legend --------------------------------------------------------------------------------------------
  const numbers = new Map();
  function count() {
    const tally = new Map();
    for (const group of g.state.group) tally.set(group, (tally.get(group) ?? 0) + 1);
    for (const [group, element] of numbers) element.textContent = (tally.get(group) ?? 0).toLocaleString("en");
  }
  for (const entry of view.legend) {
    const button = make("button"), number = make("b");
    const icon = make("i", ["shape", entry.shape, entry.hollow && "hollow", entry.role === "idle" && "small"].filter(Boolean).join(" "));
    icon.style.color = view.colours[entry.role];
    icon.setAttribute("aria-hidden", "true");
    button.type = "button";
    button.setAttribute("aria-pressed", "true");
    button.append(icon, make("span", "", entry.label), number);
    button.onclick = () => {
      const hide = !g.hiddenGroups.delete(entry.group);
      if (hide) g.hiddenGroups.add(entry.group);
      button.setAttribute("aria-pressed", String(!hide));
      paint();
    };
    numbers.set(entry.group, number);
    part("legend").append(button);
  }
  part("shown").textContent = view.shown;

  // ---- playing -------------------------------------------------------------------------------------------
  const timeline = g.replay ? makeTimeline(g, (f, byPerson, playing) => {
    paint();
    if (f.at !== null && g.visibleAgents.has(f.agent)) camera.follow(f.at);
    if (byPerson) {
      touched = performance.now();
      if (!playing) hooks.onStep?.(f.agent, f.index);
    }
    hooks.onPlaying?.(playing);
    hooks.onChange?.();
  }) : null;
  function press(key) {
    const act = {
      "+": () => camera.zoom(1.3),
      "=": () => camera.zoom(1.3),
      "-": () => camera.zoom(1 / 1.3),
      0: () => camera.fit(),
      Escape: () => select(null, true),
      ArrowLeft: timeline && (() => timeline.step(-1)),
      ArrowRight: timeline && (() => timeline.step(1)),
      " ": timeline && timeline.toggle,
    }[key];
    act?.();
    return Boolean(act);
  }
  root.addEventListener("keydown", (event) => {
    if (event.target.matches("input, button") || event.ctrlKey || event.metaKey || event.altKey) return;
    if (press(event.key)) event.preventDefault();
  });

  g.selected = position(view.selected);
  paint();
  camera.fit(false);
  timeline?.goTo(g.frame);
  g.began = -Infinity; // nothing walks until someone steps

  return {
    network, nodes, select, light, press,
    state: g.state,
    idle: () => performance.now() - touched, // ms since a person last chose something
    frame: () => (g.replay ? view.frames[g.frame] : null),
    selectedId: () => (g.selected === null ? null : view.facts[g.selected].id),
    showFrame: (j) => timeline.goTo(j),
    goTo: (agent, at) => {
      const j = view.frames.findIndex((f) => f.agent === agent && f.index === at);
      if (j >= 0 && j !== g.frame) timeline.goTo(j);
      return j >= 0;
    },
    // The labels now on the canvas, and where a node is in this document, in px: for tests and for tours.
    labels: () => ink,
    point: (id) => {
      const at = network.canvasToDOM(network.getPosition(position(id))), box = canvas.getBoundingClientRect();
      return { x: box.left + at.x, y: box.top + at.y };
    },
  };
};
