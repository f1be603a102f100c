// Carries choices between the graph frames of a page and Python. Data in: {node, step: [agent, index]} to show in
// the frames, and keys: whether arrow keys and the space bar step the walk wherever one is on the page. State out:
// node (an id), step ({agent, index}). Only frames of this page and origin are heard.
const shown = new WeakMap();
const KEYS = new Set(["ArrowLeft", "ArrowRight", " "]);
const TYPED_INTO = "input, textarea, select, button, a, [contenteditable], [role=slider], [role=tab], [role=radio]";
const heard = new WeakMap(); // the one pair of listeners of each place: an older one would tell a new frame an older choice

export default function ({ data, parentElement, setStateValue }) {
  const frames = () => [...document.querySelectorAll("iframe")];
  const show = (frame) => {
    if (!data || !frame.contentWindow) return;
    frame.contentWindow.postMessage({ causeway: "show", node: data.node, step: data.step }, window.location.origin);
  };
  const onMessage = (event) => {
    if (!parentElement.isConnected) return;
    const message = event.data;
    if (event.origin !== window.location.origin || !message || typeof message.causeway !== "string") return;
    const frame = frames().find((f) => f.contentWindow === event.source);
    if (!frame) return;
    if (message.causeway === "ready") show(frame);
    if (message.causeway === "playing") document.body.classList.toggle("cw-playing", message.playing === true);
    if (message.causeway === "leave") document.querySelector(".st-key-present_leave button")?.click();
    if (message.causeway === "node") setStateValue("node", message.id === null ? null : String(message.id));
    if (message.causeway === "step") setStateValue("step", { agent: Number(message.agent), index: Number(message.index) });
  };
  const onKey = (event) => {
    if (!parentElement.isConnected || !data?.keys || event.defaultPrevented || !KEYS.has(event.key)) return;
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.(TYPED_INTO)) return;
    event.preventDefault(); // the space bar would scroll the page
    for (const frame of frames()) {
      frame.contentWindow?.postMessage({ causeway: "key", key: event.key }, window.location.origin);
    }
  };
  const forget = (listeners) => {
    if (!listeners) return;
    window.removeEventListener("message", listeners.onMessage);
    window.removeEventListener("keydown", listeners.onKey);
  };
  forget(heard.get(parentElement));
  heard.set(parentElement, { onMessage, onKey });
  window.addEventListener("message", onMessage);
  window.addEventListener("keydown", onKey);
  const asked = JSON.stringify(data ?? null);
  if (shown.get(parentElement) !== asked) {
    shown.set(parentElement, asked);
    frames().forEach(show);
  }
  return () => {
    forget({ onMessage, onKey });
    document.body.classList.remove("cw-playing");
  };
}
