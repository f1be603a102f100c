// The slope chart: a line for each document from its place by similarity to its place in the chosen ranking.
// drawSlope(root, data, pick) draws data of core/figures/causal_attention/slope.py, and again when called again:
// what is there already moves to its new place. pick(id) is called when a document is chosen. Text is set as text.
const SLOPE = { row: 36, thin: 26, head: 40, most: 24 }; // px; above `most` lines the notes are left out

function slopeMade(parent, tag, className) {
  const made = document.createElementNS(tag === "path" || tag === "svg" ? "http://www.w3.org/2000/svg" : "http://www.w3.org/1999/xhtml", tag);
  if (className) made.setAttribute("class", className);
  if (parent) parent.append(made);
  return made;
}

function slopeWay(shift) { return shift > 0 ? "up" : shift < 0 ? "down" : "same"; }
function slopeMove(shift) { return shift > 0 ? `▲ ${shift}` : shift < 0 ? `▼ ${-shift}` : "="; }

class Slope {
  constructor(root) {
    this.root = root;
    root.classList.add("slope");
    this.stage = slopeMade(root, "div", "slope-stage");
    this.svg = slopeMade(this.stage, "svg");
    this.svg.setAttribute("aria-hidden", "true");
    this.rules = [];
    this.titles = new Map();
    this.lines = new Map();
    this.foot = slopeMade(root, "div", "slope-foot");
    this.tip = slopeMade(root, "div", "slope-tip");
    this.tip.hidden = true;
    this.tip.setAttribute("role", "tooltip");
    this.width = 0;
    new ResizeObserver(() => { if (this.root.clientWidth && this.root.clientWidth !== this.width) this.place(); }).observe(root);
  }

  show(data, pick) {
    this.data = data;
    this.pick = pick;
    for (const [name, colour] of Object.entries(data.colours)) this.root.style.setProperty(`--${name}`, colour);
    const wanted = new Set(data.lines.map((line) => line.id));
    for (const [id, line] of this.lines) if (!wanted.has(id)) { line.remove(); this.lines.delete(id); }
    for (const line of data.lines) {
      if (!this.lines.has(line.id)) this.lines.set(line.id, new SlopeLine(this, line.id));
      this.lines.get(line.id).fill(line);
    }
    // Read and walked through in the order of the ranking shown.
    for (const line of [...data.lines].sort((a, b) => a.places.at(-1) - b.places.at(-1))) this.stage.append(this.lines.get(line.id).right);
    this.columns();
    this.explain();
    this.place();
    this.choose(data.selected);
  }

  columns() {
    const modes = new Set(this.data.columns.map((column) => column.mode));
    for (const [mode, title] of this.titles) if (!modes.has(mode)) { title.remove(); this.titles.delete(mode); }
    this.data.columns.forEach((column) => {
      if (!this.titles.has(column.mode)) this.titles.set(column.mode, slopeMade(this.stage, "div", "slope-title"));
      const title = this.titles.get(column.mode);
      title.textContent = column.title;
      title.title = column.meaning;
    });
    while (this.rules.length > this.data.columns.length) this.rules.pop().remove();
    while (this.rules.length < this.data.columns.length) {
      const rule = slopeMade(null, "path", "rule");
      this.svg.prepend(rule);
      this.rules.push(rule);
    }
  }

  explain() {
    this.foot.replaceChildren();
    const say = (mark, className, text) => {
      const part = slopeMade(this.foot, "span");
      const sign = slopeMade(part, "b", className);
      sign.textContent = mark;
      part.append(text);
    };
    say("▲", "slope-move up", "rises");
    say("▼", "slope-move down", "falls (dashed)");
    if (this.data.lines.some((line) => line.absorbed !== null)) {
      const part = slopeMade(this.foot, "span");
      const bar = slopeMade(part, "i", "slope-bar");
      slopeMade(bar, "i").style.width = "45%";
      part.append("keyword weight absorbed in A, and left in B");
    }
    if (this.data.lines.some((line) => line.judged > 0)) say("◆", "slope-judged", "judged relevant");
    slopeMade(this.foot, "span").textContent = this.data.shown;
  }

  place() {
    if (!this.data) return;
    const width = this.root.clientWidth;
    this.width = width;
    if (!width) return;
    const rows = this.data.rows;
    this.roomy = this.data.lines.length <= SLOPE.most;
    this.root.classList.toggle("tight", !this.roomy);
    const row = this.roomy ? SLOPE.row : SLOPE.thin;
    const between = this.data.columns.length - 2;
    const middle = Math.max(120, Math.min(width * 0.24 + 56 * Math.max(between, 0), width * 0.5));
    const left = Math.round((width - middle) * 0.42);
    const right = Math.round(width - middle - left);
    const y = (rank) => SLOPE.head + row * (Math.min(rank, rows + 0.9) - 0.5);
    const last = this.data.columns.length - 1;
    const x = (i) => (last ? left + 8 + ((middle - 16) * i) / last : left + middle / 2);
    this.stage.style.height = `${SLOPE.head + row * rows + 4}px`;
    this.at = { left, right, middle, row, x, y, width, rows };
    this.data.columns.forEach((column, i) => {
      const title = this.titles.get(column.mode);
      const outer = i === 0 || i === last;
      title.className = `slope-title ${outer ? (i ? "right" : "left") : "middle"}`;
      if (i === 0) { title.style.left = "8px"; title.style.width = `${left - 8}px`; title.style.justifyContent = "flex-end"; }
      else if (i === last) { title.style.left = `${left + middle}px`; title.style.width = `${right}px`; title.style.justifyContent = "flex-start"; title.style.paddingLeft = "8px"; }
      else { title.style.left = `${x(i)}px`; title.style.width = `${x(1) - x(0) - 4}px`; title.style.paddingLeft = "0"; }
      this.rules[i].setAttribute("d", `M${x(i)} ${SLOPE.head}V${SLOPE.head + row * rows}`);
    });
    for (const line of this.lines.values()) line.place(this.at);
  }

  choose(id) {
    this.root.classList.toggle("has-choice", this.lines.has(id));
    for (const [own, line] of this.lines) line.mark("chosen", own === id);
    const chosen = this.lines.get(id);
    if (chosen) this.svg.append(chosen.path);
  }

  near(id, event) {
    for (const [own, line] of this.lines) line.mark("near", own === id);
    const line = this.lines.get(id);
    this.tip.hidden = !line;
    if (!line) return;
    this.tip.replaceChildren();
    const name = slopeMade(this.tip, "b");
    name.dir = "auto";
    name.textContent = line.data.name;
    this.tip.append(line.data.why);
    const box = this.root.getBoundingClientRect();
    const target = event.currentTarget.getBoundingClientRect();
    const down = target.bottom - box.top + 6;
    const room = window.innerHeight - target.bottom;
    this.tip.style.left = `${Math.max(0, Math.min(target.left - box.left, box.width - 348))}px`;
    this.tip.style.top = room > 190 ? `${down}px` : `${target.top - box.top - this.tip.offsetHeight - 6}px`;
  }
}

class SlopeLine {
  constructor(chart, id) {
    this.chart = chart;
    this.path = slopeMade(chart.svg, "path");
    this.left = this.label("left");
    this.left.tabIndex = -1; // the label at the right is the one that the keyboard walks through
    this.left.setAttribute("aria-hidden", "true");
    this.right = this.label("right");
    this.leftName = slopeMade(this.left, "span", "slope-name");
    this.leftRank = slopeMade(this.left, "span", "slope-rank");
    this.rightRank = slopeMade(this.right, "span", "slope-rank");
    this.rightName = slopeMade(this.right, "span", "slope-name");
    this.note = slopeMade(this.right, "span", "slope-note");
    this.move = slopeMade(this.note, "b", "slope-move");
    this.bar = slopeMade(this.note, "i", "slope-bar");
    this.bar.setAttribute("aria-hidden", "true");
    this.absorbed = slopeMade(this.bar, "i");
    this.words = slopeMade(this.note, "span");
    this.dots = [];
    this.ends = [slopeMade(chart.stage, "i", "slope-end"), slopeMade(chart.stage, "i", "slope-end")];
    this.ends.forEach((end) => end.setAttribute("aria-hidden", "true"));
    for (const name of [this.leftName, this.rightName]) name.dir = "auto";
    for (const label of [this.left, this.right]) {
      label.onclick = () => { chart.choose(id); chart.pick(id); };
      label.onmouseenter = (event) => chart.near(id, event);
      label.onmouseleave = () => chart.near(null);
    }
  }

  label(side) {
    const label = slopeMade(this.chart.stage, "button", `slope-label ${side}`);
    label.type = "button";
    return label;
  }

  fill(line) {
    this.data = line;
    const [from, to] = [line.places[0], line.places.at(-1)];
    const way = slopeWay(line.shift);
    this.path.setAttribute("class", way);
    for (const [name, end] of [[this.leftName, 0], [this.rightName, 1]]) {
      name.replaceChildren();
      if (line.judged > 0) slopeMade(name, "b", "slope-judged").textContent = "◆ ";
      name.append(line.name);
      this.ends[end].className = `slope-end ${way}`;
    }
    this.ends[0].textContent = "●";
    this.ends[1].textContent = way === "up" ? "▲" : way === "down" ? "▼" : "●";
    this.leftRank.textContent = String(from);
    this.rightRank.textContent = String(to);
    this.move.textContent = slopeMove(line.shift);
    this.move.className = `slope-move ${way}`;
    this.bar.hidden = line.absorbed === null;
    this.absorbed.style.width = `${100 * (line.absorbed ?? 0)}%`;
    this.words.textContent = line.note;
    this.right.setAttribute("aria-label", `${line.name}. ${line.why}`);
    this.right.dataset.document = line.id;
    while (this.dots.length > line.places.length - 2) this.dots.pop().remove();
    while (this.dots.length < line.places.length - 2) {
      const dot = slopeMade(this.chart.stage, "i", "slope-dot");
      dot.style.fontStyle = "normal";
      dot.setAttribute("aria-hidden", "true");
      this.dots.push(dot);
    }
  }

  place({ left, right, middle, row, x, y, rows }) {
    const places = this.data.places;
    const last = places.length - 1;
    let d = `M${x(0)} ${y(places[0])}`;
    for (let i = 1; i <= last; i += 1) {
      const half = (x(i) - x(i - 1)) / 2;
      d += ` C${x(i - 1) + half} ${y(places[i - 1])} ${x(i) - half} ${y(places[i])} ${x(i)} ${y(places[i])}`;
    }
    this.path.setAttribute("d", d);
    this.path.style.setProperty("d", `path("${d}")`); // moves where the browser can move a path
    const top = (rank) => y(rank) - row / 2;
    Object.assign(this.left.style, { left: "0", width: `${left}px`, height: `${row}px`, transform: `translateY(${top(places[0])}px)` });
    Object.assign(this.right.style, { left: `${left + middle}px`, width: `${right}px`, height: `${row}px`, transform: `translateY(${top(places[last])}px)` });
    this.left.hidden = places[0] > rows;
    this.right.hidden = places[last] > rows;
    this.note.hidden = !this.chart.roomy;
    this.dots.forEach((dot, i) => {
      dot.textContent = String(places[i + 1]);
      dot.style.transform = `translate(${x(i + 1)}px, ${y(places[i + 1])}px)`;
      dot.hidden = places[i + 1] > rows;
    });
    this.ends.forEach((end, i) => { end.style.transform = `translate(${x(i ? last : 0)}px, ${y(places[i ? last : 0])}px)`; });
  }

  mark(name, on) {
    for (const part of [this.path, this.left, this.right, ...this.dots]) part.classList.toggle(name, on);
    if (name === "chosen") this.right.setAttribute("aria-pressed", String(on));
    if (name === "chosen" && on) this.left.setAttribute("aria-pressed", "true");
    else if (name === "chosen") this.left.removeAttribute("aria-pressed");
  }

  remove() {
    for (const part of [this.path, this.left, this.right, ...this.dots, ...this.ends]) part.remove();
  }
}

const slopes = new WeakMap(); // the chart of each place on the page

function drawSlope(root, data, pick) {
  if (!slopes.has(root)) slopes.set(root, new Slope(root));
  slopes.get(root).show(data, pick);
}
