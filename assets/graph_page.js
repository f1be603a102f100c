"use strict";
// A graph page in a frame: tells its parent what was chosen, and shows what the parent chooses.
(function () {
  const view = JSON.parse(document.getElementById("view").textContent);
  // In a srcdoc frame location.origin is "null"; self.origin is the app's.
  const tell = (message) => { if (window.parent !== window) window.parent.postMessage(message, self.origin); };
  let playing = false;
  const graph = window.causewayGraph(document.getElementById("graph"), view, {
    onNode: (id) => tell({ causeway: "node", id }),
    onStep: (agent, index) => tell({ causeway: "step", agent, index }),
    onPlaying: (now) => {
      if (now === playing) return;
      playing = now;
      tell({ causeway: "playing", playing });
    },
  });
  window.causeway = graph;
  window.addEventListener("message", (event) => {
    if (event.source !== window.parent || event.origin !== self.origin) return;
    const asked = event.data;
    if (asked && asked.causeway === "key") graph.press(String(asked.key));
    if (!asked || asked.causeway !== "show") return;
    // A rerun's echo of an older step must not pull back someone who has stepped on meanwhile.
    if (Array.isArray(asked.step) && graph.idle() > 2000) graph.goTo(asked.step[0], asked.step[1]);
    if (asked.node !== undefined) graph.select(asked.node);
  });
  if (view.large) window.addEventListener("keydown", (event) => { if (event.key === "Escape") tell({ causeway: "leave" }); });
  tell({ causeway: "ready" });
})();
