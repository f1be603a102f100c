"use strict";
// The player: buttons, slider, subtitle, and a lane for each agent with a mark for each of its steps.

const MARKS = { read: "shape dot small", search: "shape triangle", look: "ring", weigh: "shape dot", append: "shape diamond", finish: "end", answer: "shape star", failed: "cross" };
const MARK_COLOURS = { read: "idle", search: "attribute", look: "visited", weigh: "visited", append: "answer", finish: "ink", answer: "answer", failed: "ink" };
const DENSE = 120; // frames beyond which marks are bars

// `arrive(frame, byPerson)` is called when another frame is shown. Returns {goTo, step, toggle, nearest}.
function makeTimeline(g, arrive) {
  const { part, make, view } = g, frames = view.frames, last = frames.length - 1;
  const slider = part("slider"), play = part("play"), marks = [];
  let timer = null;
  const place = (j) => (last > 0 ? j / last : 0.5);
  const isShown = (j) => g.visibleAgents.has(frames[j].agent);

  function nearest(direction) {
    for (let j = g.frame + direction; j >= 0 && j <= last; j += direction) if (isShown(j)) return j;
    return null;
  }
  function placeHead() {
    const track = slider.parentElement;
    part("head").style.left = `${track.offsetLeft + 8 + (track.offsetWidth - 16) * place(g.frame)}px`;
  }
  function goTo(j, byPerson = false) {
    g.frame = Math.max(0, Math.min(last, j));
    g.began = performance.now();
    const f = frames[g.frame], shown = isShown(g.frame);
    part("said").textContent = shown ? f.caption : `${view.agents.find((a) => a.id === f.agent).name} is hidden`;
    part("why").textContent = shown ? f.detail : "";
    part("caption").title = shown ? [f.caption, f.detail].filter(Boolean).join("\n") : "";
    part("count").textContent = `${g.frame + 1} of ${last + 1}`;
    slider.value = String(g.frame);
    slider.setAttribute("aria-valuetext", `${g.frame + 1} of ${last + 1}. ${f.caption}`);
    marks.forEach((mark, k) => mark.classList.toggle("now", k === g.frame));
    part("back").disabled = nearest(-1) === null;
    part("next").disabled = nearest(1) === null;
    placeHead();
    arrive(f, byPerson, timer !== null);
  }
  function pause() {
    clearInterval(timer);
    timer = null;
    play.textContent = "Play";
    part("caption").setAttribute("aria-live", "polite");
    arrive(frames[g.frame], true, false);
  }
  function start() {
    if (nearest(1) === null) goTo(frames.findIndex((_, j) => isShown(j)));
    play.textContent = "Pause";
    part("caption").setAttribute("aria-live", "off");
    timer = setInterval(() => {
      const j = nearest(1);
      if (j !== null) goTo(j, true);
      if (nearest(1) === null) pause();
    }, BEAT);
  }
  const halt = () => { if (timer) pause(); };
  const toggle = () => (timer ? pause() : start());
  function step(direction) {
    halt();
    const j = nearest(direction);
    if (j !== null) goTo(j, true);
  }

  function lineSample(agent) {
    const sample = make("canvas"), ctx = sample.getContext("2d");
    sample.width = 56;
    sample.height = 16;
    ctx.setLineDash(view.dashes[agent.id % view.dashes.length].map((d) => d * 0.9));
    ctx.strokeStyle = view.colours.visited;
    ctx.lineWidth = 5;
    ctx.moveTo(0, 8);
    ctx.lineTo(56, 8);
    ctx.stroke();
    return sample;
  }
  function lane(agent) {
    const button = make("button", "cw-agent"), words = make("span", "", agent.name), track = make("div", "cw-lane");
    const look = () => {
      button.setAttribute("aria-pressed", String(g.visibleAgents.has(agent.id)));
      track.classList.toggle("off", !g.visibleAgents.has(agent.id));
    };
    if (agent.note) words.append(" ", make("small", "", agent.note));
    button.type = "button";
    button.title = `${[agent.name, agent.note].filter(Boolean).join(": ")}. Press to show or hide.`;
    button.append(lineSample(agent), words);
    button.onclick = () => {
      if (!g.visibleAgents.delete(agent.id)) g.visibleAgents.add(agent.id);
      look();
      goTo(g.frame);
    };
    look();
    const own = [...frames.keys()].filter((j) => frames[j].agent === agent.id);
    for (const j of own) {
      marks[j] = make("i", MARKS[frames[j].kind]);
      marks[j].style.left = `calc(8px + (100% - 16px) * ${place(j)})`;
      marks[j].style.color = view.colours[MARK_COLOURS[frames[j].kind]];
    }
    track.append(...own.map((j) => marks[j]));
    const closest = (event) => {
      const box = track.getBoundingClientRect(), share = (event.clientX - box.left - 8) / Math.max(1, box.width - 16);
      return own.reduce((a, b) => (Math.abs(place(b) - share) < Math.abs(place(a) - share) ? b : a));
    };
    track.onclick = (event) => { halt(); goTo(closest(event), true); };
    track.onmousemove = (event) => { track.title = frames[closest(event)].caption; };
    return [button, track];
  }

  part("caption").hidden = part("time").hidden = false;
  part("time").classList.toggle("dense", last > DENSE);
  part("lanes").append(...view.agents.flatMap(lane));
  slider.max = String(last);
  slider.oninput = () => { halt(); goTo(Number(slider.value)); };
  slider.onchange = () => goTo(Number(slider.value), true);
  part("back").onclick = () => step(-1);
  part("next").onclick = () => step(1);
  play.onclick = toggle;
  new ResizeObserver(placeHead).observe(part("time"));
  return { goTo, step, toggle };
}
