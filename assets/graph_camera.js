"use strict";
// Where one looks from: fitting, zooming by button, key or Ctrl and wheel, and keeping the present node in sight.

const READABLE = 0.42; // the zoom below which a big run opens on its present node instead of as a whole
const SMALLEST = 0.05, LARGEST = 5;

// `rescaled()` is called when nodes should be drawn at another size. Returns {fit, zoom, follow}.
function makeCamera(g, rescaled) {
  const { part, network, canvas, view } = g;
  const motion = () => (g.still.matches ? false : { duration: 200, easingFunction: "easeInOutQuad" });
  let moved = false, hintTimer = null;

  function fit(whole = true) {
    moved = false;
    if (!view.nodes.length) return;
    const xs = view.nodes.map((v) => v.x), ys = view.nodes.map((v) => v.y);
    const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
    // Labels stand right of their nodes at a fixed size on the screen: leave room for them.
    const width = Math.max(canvas.clientWidth - 210, 120), height = Math.max(canvas.clientHeight - 64, 80);
    const entire = Math.max(SMALLEST, Math.min(1.25, width / Math.max(1, right - left), height / Math.max(1, bottom - top)));
    const scale = whole ? entire : Math.max(READABLE, entire);
    const now = g.replay ? view.frames[g.frame] : null;
    const middle = { x: (left + right) / 2 + (g.replay ? 64 / scale : 0), y: (top + bottom) / 2 };
    const centre = scale > entire ? network.getPosition(now?.at ?? now?.appended[0] ?? now?.walked[0] ?? 0) : middle;
    network.moveTo({ position: centre, scale, animation: false });
    const unit = Math.min(1.3, Math.max(0.85, 0.8 / scale));
    if (unit !== g.unit) { g.unit = unit; rescaled(); }
  }
  function zoom(by, pointer) {
    moved = true;
    const scale = Math.min(LARGEST, Math.max(SMALLEST, network.getScale() * by));
    if (!pointer) return network.moveTo({ scale, animation: motion() });
    const under = network.DOMtoCanvas(pointer), middle = network.getViewPosition(), ratio = network.getScale() / scale;
    const position = { x: under.x + (middle.x - under.x) * ratio, y: under.y + (middle.y - under.y) * ratio };
    network.moveTo({ scale, position, animation: false });
  }
  function follow(i) {
    const at = network.canvasToDOM(network.getPosition(i)), { clientWidth: width, clientHeight: height } = canvas;
    const edge = Math.min(72, width / 6, height / 6);
    const inside = at.x > edge && at.y > edge && at.x < width - edge && at.y < height - edge;
    if (!inside) network.moveTo({ position: network.getPosition(i), animation: motion() });
  }

  // The drawing as it stands, on the page's own ground: a canvas alone would be transparent.
  function picture() {
    const drawn = canvas.querySelector("canvas"), copy = document.createElement("canvas");
    [copy.width, copy.height] = [drawn.width, drawn.height];
    const ctx = copy.getContext("2d");
    ctx.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--background") || "#fff";
    ctx.fillRect(0, 0, copy.width, copy.height);
    ctx.drawImage(drawn, 0, 0);
    const link = document.createElement("a");
    link.download = "graph.png";
    link.href = copy.toDataURL("image/png");
    link.click();
  }

  part("picture").onclick = picture;
  part("fit").onclick = () => fit();
  part("closer").onclick = () => zoom(1.3);
  part("farther").onclick = () => zoom(1 / 1.3);
  part("stage").addEventListener("wheel", (event) => {
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      const box = canvas.getBoundingClientRect();
      zoom(event.deltaY < 0 ? 1.15 : 1 / 1.15, { x: event.clientX - box.left, y: event.clientY - box.top });
      return;
    }
    part("hint").hidden = false; // the wheel alone scrolls the page around the graph
    clearTimeout(hintTimer);
    hintTimer = setTimeout(() => { part("hint").hidden = true; }, 1200);
  }, { passive: false });
  network.on("dragEnd", () => { moved = true; });
  new ResizeObserver(() => { if (!moved) fit(false); }).observe(canvas);
  return { fit, zoom, follow };
}
