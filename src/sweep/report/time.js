// The scores of each trial over time, and the best score so far, for each rung.

const kShapes = [  // of about the same area, for a radius of 4
  "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0Z", "M-3.6 -3.6h7.2v7.2h-7.2Z", "M0 -5l5 9h-10Z", "M0 -5.5l5.5 5.5l-5.5 5.5l-5.5 -5.5Z",
];
const round1 = (number) => Math.round(number * 10) / 10;
const placed = (rung, x, y, size) => ({
  d: kShapes[rung % kShapes.length], fill: rungColour(rung), transform: `translate(${round1(x)} ${round1(y)}) scale(${size})`});
const rungColour = (rung) => `var(--r${rung % kShapes.length})`;

function drawTime() {
  const marks = [];  // one for each trial and rung with a score, in the order of time
  trials.forEach((trial, index) => trial.rungs.forEach(({validation, finished_at}, rung) => {
    if (validation !== null) marks.push({index, rung, validation, time: finished_at});
  }));
  byId("time-legend").replaceChildren();
  if (!marks.length) return noPlot("time", "No trial has finished a rung with a score.");
  marks.sort((a, b) => a.time - b.time);
  const rungs = [...new Set(marks.map((mark) => mark.rung))].sort((a, b) => a - b);
  for (const rung of rungs) {
    const item = html("span", byId("time-legend"));
    const symbol = svg("svg", item, {width: 28, height: 14});
    svg("path", symbol, {class: "best", d: "M0 7H28", stroke: rungColour(rung)});
    svg("path", symbol, placed(rung, 14, 7, 1));
    item.append(sweep.num_rungs > 1 ? `rung ${rung + 1}` : "trials; line: best score so far");
  }

  const width = Math.max(byId("time").clientWidth, 360), height = 340;
  const left = 56, right = width - 16, above = 14, bottom = height - 46;
  const range = scoreRange(marks.map((mark) => mark.validation));
  const end = Math.max(marks[marks.length - 1].time, 1e-3);
  const xOf = (time) => left + (right - left) * time / (1.02 * end);
  const yOf = (score) => bottom - (bottom - above) * (score - range.from) / (range.to - range.from);
  const plot = newPlot("time", width, height, "Validation scores over time");
  for (const {score, text} of scoreTicks(range, 6)) {
    svg("line", plot, {class: "grid", x1: left, x2: right, y1: yOf(score), y2: yOf(score)});
    svg("text", plot, {class: "tick", x: left - 8, y: yOf(score) + 4, "text-anchor": "end"}, text);
  }
  const unit = timeUnit(end);
  for (const number of roundNumbers(0, 1.02 * end / unit.size, 7)) {
    const x = xOf(number * unit.size);
    svg("line", plot, {class: "axis", x1: x, x2: x, y1: bottom, y2: bottom + 5});
    svg("text", plot, {class: "tick", x, y: bottom + 19, "text-anchor": "middle"}, short(number));
  }
  svg("line", plot, {class: "axis", x1: left, x2: right, y1: bottom, y2: bottom});
  svg("text", plot, {x: (left + right) / 2, y: height - 8, "text-anchor": "middle"}, `working time of the sweep (${unit.name})`);

  const size = marks.length > 200 ? "0.6" : "1";
  for (const mark of marks) {
    svg("path", plot, {class: "mark", ...placed(mark.rung, xOf(mark.time), yOf(mark.validation), size)});
  }
  for (const rung of rungs) {
    let d = "", best = -Infinity;
    for (const mark of marks) {
      if (mark.rung !== rung || mark.validation <= best) continue;
      best = mark.validation;
      d += d ? `H${round1(xOf(mark.time))}V${round1(yOf(best))}` : `M${round1(xOf(mark.time))} ${round1(yOf(best))}`;
    }
    svg("path", plot, {class: "best", d: `${d}H${round1(right)}`, stroke: rungColour(rung)});
  }

  const rings = svg("g", plot, {});
  choiceListeners[1] = (index) => {
    rings.replaceChildren();
    for (const mark of marks) {
      if (mark.index === index) svg("circle", rings, {class: "ring", cx: xOf(mark.time), cy: yOf(mark.validation), r: 8});
    }
  };
  plot.addEventListener("pointermove", (event) => {
    const box = plot.getBoundingClientRect();
    let nearest = null, least = 14;
    for (const mark of marks) {
      const distance = Math.hypot(xOf(mark.time) - event.clientX + box.left, yOf(mark.validation) - event.clientY + box.top);
      if (distance < least) [nearest, least] = [mark.index, distance];
    }
    choose(nearest);
  });
  plot.addEventListener("pointerleave", () => choose(null));
}
