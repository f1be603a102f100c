// Carries choices between the graph frames of a page and Python. Data in: {node, step: [agent, index]} to show in
// the frames. State out: node (an id), step ({agent, index}). Only frames of this page and origin are heard.
const shown = new WeakMap();
const heard = new WeakMap(); // the one listener of each place: an older one would tell a new frame an older choice

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
    if (message.causeway === "leave") document.querySelector(".st-key-present_leave button")?.click();
    if (message.causeway === "node") setStateValue("node", message.id === null ? null : String(message.id));
    if (message.causeway === "step") setStateValue("step", { agent: Number(message.agent), index: Number(message.index) });
  };
  window.removeEventListener("message", heard.get(parentElement));
  heard.set(parentElement, onMessage);
  window.addEventListener("message", onMessage);
  const asked = JSON.stringify(data ?? null);
  if (shown.get(parentElement) !== asked) {
    shown.set(parentElement, asked);
    frames().forEach(show);
  }
  return () => window.removeEventListener("message", onMessage);
}
