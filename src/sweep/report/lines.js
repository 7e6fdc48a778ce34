// The trials as lines across one axis for each parameter, and one for the score.

function makeAxes() {
  const axes = sweep.dimensions.map((dimension, i) => {
    const values = [...new Set(dimension.values || [])];
    const axis = {name: dimension.name, isLog: dimension.scale === "log", valueOf: (trial) => trial.values[i]};
    if (dimension.scale === "points") {
      axis.place = (value) => (values.indexOf(value) + 0.5) / values.length;
      axis.ticks = values;
      axis.points = values;
      return axis;
    }
    const from = values.length ? Math.min(...values) : dimension.from;
    const to = values.length ? Math.max(...values) : dimension.to;
    const along = axis.isLog ? Math.log : (number) => number;
    // A margin above and below, as on axes of points.
    axis.place = (value) => 0.06 + 0.88 * (along(value) - along(from)) / (along(to) - along(from));
    axis.points = values;
    axis.ticks = values.length ? values.sort((a, b) => a - b)
        : axis.isLog ? logNumbers(from, to) : roundNumbers(from, to, 6);
    return axis;
  });
  return axes;
}

/// Powers of ten, and, if these are few, also two and five times them.
function logNumbers(from, to) {
  const numbers = [];
  const factors = to / from < 200 ? [1, 2, 5] : [1];
  for (let power = Math.floor(Math.log10(from)); power <= Math.log10(to) + 1e-9; ++power) {
    for (const factor of factors) {
      const number = Number(`${factor}e${power}`);
      if (number >= from * (1 - 1e-9) && number <= to * (1 + 1e-9)) numbers.push(number);
    }
  }
  return numbers.length > 1 ? numbers : [from, to];
}

const axes = makeAxes();
const brushes = new Map();  // by axis: the selected part, from 0 (bottom) to 1
const scored = trials.filter((trial) => trial.validation !== null);
const kColours = 9;

function colourOf(trial, range) {
  if (trial.validation === null) return "var(--none)";
  const share = range.most > range.least ? (trial.validation - range.least) / (range.most - range.least) : 1;
  return `var(--c${Math.min(kColours - 1, Math.floor(share * kColours))})`;
}

/// The heights at which the trials cross an axis. Trials with the same value of a list are spread
/// around it, the best on top, so that they do not hide each other.
function crossingsOf(axis, yOf) {
  const centres = axis.points.map((value) => yOf(axis.place(value))).sort((a, b) => a - b);
  const room = 0.7 * Math.min(50, ...centres.slice(1).map((y, i) => y - centres[i]));
  const byValue = new Map(axis.points.map((value) => [value, []]));
  trials.forEach((trial, index) => byValue.get(axis.valueOf(trial))?.push(index));
  return trials.map((trial, index) => {
    const centre = yOf(axis.place(axis.valueOf(trial)));
    const group = byValue.get(axis.valueOf(trial)) || [index];
    const band = Math.min(room, 2.5 * (group.length - 1));
    return centre + (group.length > 1 ? band * (group.indexOf(index) / (group.length - 1) - 0.5) : 0);
  });
}

function drawLines() {
  if (!trials.length) return noPlot("lines", "The sweep has no trial yet.");
  const kHeight = 340, kLeft = axes.length ? 14 : 50, kRight = 66, kBelow = 44;
  const hasUnscored = scored.length < trials.length;
  const range = scored.length ? scoreRange(scored.map((trial) => trial.validation)) : null;
  const width = Math.max(byId("lines").clientWidth, kLeft + kRight + 56 * axes.length);
  const gap = (width - kLeft - kRight) / Math.max(1, axes.length);
  // Names are slanted if they would overlap.
  const kSlant = 38;
  const names = axes.map((axis) => fitted(axis.name, 12, 160, 600));
  const widest = Math.max(0, ...names.map((name) => textWidth(name, 12, 600)));
  const isSlanted = widest > gap - 12;
  const above = isSlanted ? 22 + widest * Math.sin(kSlant * Math.PI / 180) : 30;
  const bottom = above + kHeight;
  const plot = newPlot("lines", width, bottom + kBelow, "Trials across the parameters; arrow keys step through the trials");
  const xOf = (i) => kLeft + i * gap;
  const yOf = (share) => bottom - kHeight * Math.min(1, Math.max(0, share));
  const scoreX = xOf(axes.length);
  const unscoredY = bottom + 24;
  const scoreY = (score) => score === null ? unscoredY : yOf((score - range.from) / (range.to - range.from));

  // Where each trial crosses the axes.
  const crossings = axes.map((axis) => crossingsOf(axis, yOf));
  const corners = trials.map((trial, index) => [
    ...axes.map((_, i) => [xOf(i), crossings[i][index]]), [scoreX, scoreY(trial.validation)]]);
  const pathOf = (points) => {
    // With a single axis the line is short.
    const all = points.length > 1 ? points : [[points[0][0] - 16, points[0][1]], points[0]];
    return "M" + all.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join("L");
  };
  // The best come last, on top of the others.
  const paths = [];
  const crowd = Math.min(1, Math.max(0.3, Math.sqrt(60 / trials.length)));  // many lines are thinner
  const lines = svg("g", plot, {class: "lines"});
  for (let i = trials.length - 1; i >= 0; --i) {
    const trial = trials[i];
    const level = sweep.num_rungs > 1 ? Math.max(0, trial.rung) / (sweep.num_rungs - 1) : 1;
    paths[i] = svg("path", lines, {
      class: trial.validation === null ? "trial unscored" : "trial", d: pathOf(corners[i]), stroke: colourOf(trial, range),
      "stroke-width": 0.5 + 0.5 * crowd + 1.2 * level * crowd,
      "stroke-opacity": String(Math.round(100 * (0.65 * crowd + (0.95 - 0.65 * crowd) * level)) / 100),
      tabindex: i === 0 ? "0" : "-1", role: "img", "aria-label": summary(trial)});
    paths[i].addEventListener("focus", () => choose(i));
    paths[i].addEventListener("blur", () => choose(null));
  }
  const chosenPath = svg("path", plot, {class: "chosen", d: "", visibility: "hidden"});

  axes.forEach((axis, i) => {
    svg("line", plot, {class: "axis", x1: xOf(i), x2: xOf(i), y1: above, y2: bottom});
    for (const value of axis.points) svg("circle", plot, {class: "point", cx: xOf(i), cy: yOf(axis.place(value)), r: 2.5});
    drawTicks(axis.ticks.map((value) => [yOf(axis.place(value)), fitted(short(value), 10, gap - 8), short(value)]), xOf(i) + 5);
    if (axis.isLog) svg("text", plot, {class: "tick", x: xOf(i), y: bottom + 16, "text-anchor": "middle"}, "log");
    drawName(axis.name, names[i], xOf(i));
  });
  if (range) {
    // The axis of the score is the key to the colours.
    const from = scoreY(range.least), to = scoreY(range.most);
    svg("line", plot, {class: "axis", x1: scoreX, x2: scoreX, y1: above, y2: bottom});
    for (let c = 0; c < kColours && to < from; ++c) {
      const step = (from - to) / kColours;
      svg("rect", plot, {x: scoreX - 3, y: from - (c + 1) * step, width: 6, height: step, fill: `var(--c${c})`});
    }
    drawTicks(scoreTicks(range, 8).map(({score, text}) => [scoreY(score), text, text]), scoreX + 8);
  }
  if (hasUnscored) {
    svg("circle", plot, {cx: scoreX, cy: unscoredY, r: 3, fill: "var(--none)"});
    svg("text", plot, {class: "small tick over", x: scoreX + 8, y: unscoredY + 4}, "no score");
  }
  drawName("validation", "validation", scoreX);

  /// [y, text, full text]; labels that would overlap the previous one are omitted.
  function drawTicks(ticks, x) {
    let last = Infinity;
    for (const [y, text, full] of ticks.sort((a, b) => b[0] - a[0])) {
      if (last - y < 12) continue;
      last = y;
      const label = svg("text", plot, {class: "small tick over", x, y: y + 4}, text);
      if (text !== full) svg("title", label, {}, full);
    }
  }
  function drawName(full, text, x) {
    const turn = isSlanted ? {transform: `rotate(${-kSlant} ${x.toFixed(1)} ${(above - 12).toFixed(1)})`} : {};
    const anchor = isSlanted ? "start" : x === kLeft && axes.length ? "start" : "middle";
    const left = anchor === "start" && !isSlanted ? x - kLeft + 2 : x;
    const name = svg("text", plot, {x: left, y: above - 12, "text-anchor": anchor, "font-weight": "600", ...turn}, text);
    if (text !== full) svg("title", name, {}, full);
  }

  function show(index) {
    plot.classList.toggle("has-choice", index !== null);
    chosenPath.setAttribute("visibility", index === null ? "hidden" : "visible");
    if (index === null) return;
    chosenPath.setAttribute("d", pathOf(corners[index]));
  }
  choiceListeners[0] = show;

  // The line nearest to the pointer, vertically.
  function nearest(x, y) {
    const i = Math.min(Math.max(axes.length - 1, 0), Math.max(0, Math.floor((x - kLeft) / gap)));
    let best = null, least = 9;
    corners.forEach((points, index) => {
      if (!isIn(index)) return;
      const [x0, y0] = points[i], [x1, y1] = points[Math.min(i + 1, points.length - 1)];
      const share = x1 > x0 ? Math.min(1, Math.max(0, (x - x0) / (x1 - x0))) : 0;
      const distance = Math.abs(y0 + share * (y1 - y0) - y);
      if (distance < least) [best, least] = [index, distance];
    });
    return best;
  }
  const pointOf = (event) => {
    const box = plot.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  plot.addEventListener("pointermove", (event) => choose(nearest(...pointOf(event))));
  plot.addEventListener("pointerleave", () => choose(null));
  plot.addEventListener("keydown", (event) => {
    const current = paths.indexOf(document.activeElement);
    const step = {ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1}[event.key];
    if (current < 0 || step === undefined) return;
    event.preventDefault();
    paths[current].setAttribute("tabindex", "-1");
    const next = paths[(current + step + trials.length) % trials.length];
    next.setAttribute("tabindex", "0");
    next.focus();
  });

  // Dragging along an axis selects the trials that cross that part.
  const isIn = (index) => [...brushes].every(([i, [from, to]]) => {
    const y = corners[index][i][1];
    return y <= yOf(from) + 0.5 && y >= yOf(to) - 0.5;
  });
  function applyBrushes() {
    paths.forEach((path, index) => path.classList.toggle("out", !isIn(index)));
    filterChanged(isIn);
  }
  for (let i = 0; i <= axes.length; ++i) {
    if (i === axes.length && !range) continue;
    const brush = svg("rect", plot, {class: "brush", x: xOf(i) - 7, width: 14, y: 0, height: 0, visibility: "hidden"});
    const showBrush = () => {
      brush.setAttribute("visibility", brushes.has(i) ? "visible" : "hidden");
      if (!brushes.has(i)) return;
      const [from, to] = brushes.get(i);
      brush.setAttribute("y", yOf(to));
      brush.setAttribute("height", yOf(from) - yOf(to));
    };
    showBrush();
    const grip = svg("rect", plot, {class: "grip", x: xOf(i) - 9, width: 18, y: above - 6, height: kHeight + 12});
    let start = null;
    grip.addEventListener("pointerdown", (event) => {
      start = pointOf(event)[1];
      grip.setPointerCapture(event.pointerId);
    });
    grip.addEventListener("pointermove", (event) => {
      if (start === null) return;
      const y = pointOf(event)[1];
      const shares = [start, y].map((at) => Math.min(1, Math.max(0, (bottom - at) / kHeight))).sort((a, b) => a - b);
      Math.abs(y - start) < 4 ? brushes.delete(i) : brushes.set(i, shares);
      showBrush();
      applyBrushes();
    });
    grip.addEventListener("pointerup", (event) => {
      if (start !== null && Math.abs(pointOf(event)[1] - start) < 4) brushes.delete(i);
      start = null;
      showBrush();
      applyBrushes();
    });
  }
  applyBrushes();
}

/// The box below the plot: all data of the trial under the pointer.
function drawChoice(index) {
  const box = byId("choice");
  box.replaceChildren();
  if (!trials.length) return box.remove();
  if (index === null) {
    html("p", box, "Point at a line to see its trial, or focus the plot and step through the lines with the arrow keys. Drag " +
    "along an axis to show only the trials that cross it there; click on the axis to show all again.");
    return;
  }
  const trial = trials[index];
  html("b", box, summary(trial));
  const list = html("ul", box);
  axes.forEach((axis) => {
    const item = html("li", list);
    html("span", item, axis.name + " ");
    item.append(short(axis.valueOf(trial)));
  });
  if (trial.failure) html("p", box, "Failed: " + trial.failure);
}
