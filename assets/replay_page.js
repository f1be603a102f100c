"use strict";
// The page around the graph in a replay file: why a score, the hop's candidates, citations. Text is set as text.
(function () {
  const view = JSON.parse(document.getElementById("view").textContent);
  const by = (id) => document.getElementById(id);
  const make = (tag, className, ...content) => {
    const element = document.createElement(tag);
    if (className) element.className = className;
    element.append(...content);
    element.dir = "auto";
    return element;
  };
  const fill = (template, numbers) => template.replace(/\{(\w+)\}/g, (_, name) => numbers[name]);
  let graph = null;

  // ---- which hop is looked at, and which of its candidates -----------------------------------------------
  const hops = Object.entries(view.hops);
  const keyOf = new Map();
  for (const [key, hop] of hops) {
    keyOf.set(key, key);
    if (hop.weighed !== null) keyOf.set(`${key.split(".")[0]}.${hop.weighed}`, key);
  }
  function hopOf(frame) {
    if (!frame) return null;
    const { agent, index } = frame;
    for (let i = index; i > 0; i--) if (keyOf.has(`${agent}.${i}`)) return keyOf.get(`${agent}.${i}`);
    return null;
  }
  const score = (row) => (row.numbers ? Number(row.numbers.s) : -1);
  function hopWith(id, now) {
    const has = (key) => view.hops[key]?.rows.find((row) => row.id === id);
    if (now && has(now)) return now;
    const found = hops.filter(([key]) => has(key));
    return found.length ? found.reduce((a, b) => (score(has(b[0])) > score(has(a[0])) ? b : a))[0] : null;
  }

  function marked(text, phrases) {
    const wanted = phrases.filter((p) => p.trim()).sort((a, b) => b.length - a.length);
    if (!wanted.length) return [text];
    const escaped = wanted.map((p) => p.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"));
    const pattern = new RegExp(`(?<![\\p{L}\\p{N}_])(${escaped.join("|")})(?![\\p{L}\\p{N}_])`, "giu");
    return text.split(pattern).map((piece, i) => (i % 2 ? make("mark", "match", piece) : piece));
  }

  function why(id) {
    const panel = by("why"), now = hopOf(graph.frame()), key = id === null ? null : hopWith(id, now);
    if (key === null) {
      const fact = view.facts.find((f) => f.id === id);
      panel.replaceChildren(make("p", "quiet", fact ? `${fact.name} was no candidate of a hop.` : "Choose a candidate in the graph or in a table."));
      return;
    }
    const hop = view.hops[key], row = hop.rows.find((r) => r.id === id), card = make("div", "why");
    card.append(make("h3", "", row.name), make("p", "quiet", [row.type, hop.who].filter(Boolean).join(" · ")));
    for (const sentence of row.links) card.append(make("p", "", sentence));
    const list = make("dl", "");
    const line = (name, value, equation, share) => {
      list.append(make("dt", "", make("span", "", name), make("span", "", value)));
      const told = make("dd", "");
      if (share !== null) {
        const bar = make("i", "");
        bar.style.width = `${Math.max(0, Math.min(1, share)) * 100}%`;
        told.append(make("div", "meter", bar));
      }
      told.append(make("code", "", equation));
      list.append(told);
    };
    if (row.numbers) {
      const n = row.numbers;
      line("Score", n.s, fill(view.equations.s, n), Number(n.s));
      line("Causal relevance", n.cau, fill(view.equations.cau, n), Number(n.cau));
      line("Consequentiality", n.c, view.meanings.Consequentiality, Number(n.c));
      line("Essentiality", n.e, view.meanings.Essentiality, Number(n.e));
      line("Path consistency", n.p, view.meanings["Path consistency"], Number(n.p));
    }
    line("Text match", row.bm25, view.meanings["Text match"], null);
    card.append(list);
    const terms = Object.entries(row.terms);
    if (terms.length) card.append(make("p", "quiet", `From: ${terms.map(([name, value]) => `${name} ${value}`).join(", ")}.`));
    if (row.why) card.append(make("p", "", row.why));
    if (row.text) card.append(make("blockquote", "", ...marked(row.text, [...row.explains, ...hop.phrases])));
    panel.replaceChildren(card);
  }

  const COLUMNS = ["Rank", "Candidate", "Relation", "s", "cau", "c", "e", "p", "BM25", "Rationale"];
  let drawnHop = undefined;
  function candidates() {
    const key = hopOf(graph.frame()), table = by("candidates"), chosen = graph.selectedId();
    if (key !== drawnHop) {
      drawnHop = key;
      const hop = key === null ? null : view.hops[key];
      by("hop-words").textContent = hop
        ? `${hop.who}: ${hop.path}. ${hop.rows.length.toLocaleString("en")} of ${hop.total.toLocaleString("en")} neighbours.`
        : "No hop has been looked at yet at this step.";
      table.tHead.replaceChildren(...(hop ? [make("tr", "", ...COLUMNS.map((c) => { const th = make("th", ["s", "cau", "c", "e", "p", "BM25", "Rank"].includes(c) ? "number" : "", c); th.scope = "col"; return th; }))] : []));
      table.tBodies[0].replaceChildren(...(hop?.rows ?? []).map((row, i) => {
        const n = row.numbers ?? {}, button = make("button", "plain", row.name);
        button.type = "button";
        const tr = make("tr", "", make("td", "number", String(i + 1)), make("td", "", button), make("td", "", row.links.join("; ")),
          ...["s", "cau", "c", "e", "p"].map((name) => make("td", "number", n[name] ?? "")), make("td", "number", row.bm25), make("td", "", row.why));
        tr.dataset.node = row.id;
        return tr;
      }));
    }
    for (const tr of table.tBodies[0].rows) tr.classList.toggle("chosen", tr.dataset.node === chosen);
  }

  const stepRows = new Map([...document.querySelectorAll("#steps tr[data-step]")].map((tr) => [tr.dataset.step, tr]));
  let nowRow = null;
  function refresh() {
    if (!graph) return;
    candidates();
    const frame = graph.frame(), row = frame ? stepRows.get(`${frame.agent}.${frame.index}`) : null;
    if (row !== nowRow) {
      nowRow?.classList.remove("now");
      row?.classList.add("now");
      nowRow = row;
    }
    if (graph.selectedId() !== null) why(graph.selectedId());
  }

  // Inside a table that scrolls by itself, keep the row of the step in sight without moving the page.
  function intoSight(row) {
    const box = row?.closest(".tall");
    if (box) box.scrollTop = Math.max(0, row.offsetTop - box.clientHeight / 2);
  }

  graph = window.causewayGraph(by("graph"), view, { onNode: (id) => why(id), onStep: () => intoSight(nowRow), onChange: refresh });
  window.causeway = graph;
  refresh();

  document.addEventListener("click", (event) => {
    const cite = event.target.closest(".cite");
    if (cite) {
      const on = cite.getAttribute("aria-pressed") !== "true";
      document.querySelectorAll(".cite").forEach((other) => other.setAttribute("aria-pressed", String(on && other.dataset.node === cite.dataset.node)));
      graph.light(on ? [cite.dataset.node] : []);
      if (on) { graph.select(cite.dataset.node); why(cite.dataset.node); }
      return;
    }
    const step = event.target.closest("[data-step]"), node = event.target.closest("[data-node]");
    if (step) {
      const [agent, index] = step.dataset.step.split(".").map(Number);
      graph.goTo(agent, index);
      return;
    }
    if (node) { graph.select(node.dataset.node); why(node.dataset.node); }
  });
})();
