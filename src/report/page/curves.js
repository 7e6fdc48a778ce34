// Loss and accuracy by epoch: all trainings overlaid, or one.

const things = data.things ?? "nodes";
const curveKinds = [
  {name: "train", title: `training ${things}`}, {name: "validation", title: `validation ${things}`},
];
let chosenCurve = null;  // null: all

function drawCurvesText() {
  byId("curves-text").textContent =
      `Loss and score on the training and validation ${things} after each epoch. ` +
      (data.curves.some(({validation_loss}) => validation_loss)
          ? "A circle marks the epoch with the best validation score, whose model is kept. " : `No split has validation ${things}. `) +
      `Losses of a few epochs far above all others are clipped.`;
}

/// Tells one training from the others.
function curveName({split, member}) {
  const hasMembers = data.members.length > 1, hasSplits = data.splits.length > 1;
  return [hasMembers ? networkName(member) : "", hasSplits || !hasMembers ? `split ${split}` : ""].filter(Boolean).join(", ");
}

function drawCurveChoice() {
  if (data.curves.length < 2) return;
  const label = html("label", byId("curve-choice"), "Show: ");
  const select = html("select", label);
  html("option", select, "all").value = "";
  data.curves.forEach((curve, i) => { html("option", select, curveName(curve)).value = String(i); });
  select.addEventListener("change", () => {
    chosenCurve = select.value === "" ? null : Number(select.value);
    drawCurves(data.metric && metricTitles[data.metric]);
  });
}

function drawCurveLegend() {
  for (const {name, title} of curveKinds) {
    const item = html("span", byId("curve-legend"));
    svg("path", svg("svg", item, {width: 28, height: 14}), {class: `curve ${name}`, d: "M0 7H28"});
    item.append(title);
  }
}

/// The path of some numbers, with gaps at unknown ones.
function curvePath(numbers, xOf, yOf) {
  let d = "", isOpen = false;
  numbers.forEach((number, i) => {
    if (number !== null) d += `${isOpen ? "L" : "M"}${Math.round(10 * xOf(i + 1)) / 10} ${Math.round(10 * yOf(number)) / 10}`;
    isOpen = number !== null;
  });
  return d;
}

/// `scaleOf` computes {from, to, ticks: [{value, text}]} from all numbers.
function drawCurve(id, what, title, scaleOf) {
  const shown = data.curves.filter((_, i) => chosenCurve === null || i === chosenCurve);
  const lines = curveKinds.flatMap(({name}) => shown.filter((curve) => curve[`${name}_${what}`])
      .map((curve) => ({name, numbers: curve[`${name}_${what}`], best: name === "validation" ? curve.best_epoch : null})));
  const numbers = lines.flatMap((line) => line.numbers).filter((number) => number !== null);
  if (!numbers.length) return noPlot(id, "No epoch has a finite value.");
  const width = Math.max(byId(id).clientWidth, 320), height = 260;
  const left = 52, right = width - 12, above = 24, bottom = height - 40;
  const {from, to, ticks} = scaleOf(numbers);
  const epochs = Math.max(2, ...lines.map((line) => line.numbers.length));
  const xOf = (epoch) => left + (right - left) * (epoch - 1) / (epochs - 1);
  const yOf = (number) => bottom - (bottom - above) * (Math.min(number, to) - from) / (to - from);
  const plot = newPlot(id, width, height, title);
  svg("text", plot, {x: left, y: 14}, title);
  for (const {value, text} of ticks) {
    svg("line", plot, {class: "grid", x1: left, x2: right, y1: yOf(value), y2: yOf(value)});
    svg("text", plot, {class: "tick", x: left - 6, y: yOf(value) + 4, "text-anchor": "end"}, text);
  }
  for (const epoch of roundNumbers(1, epochs, 6).filter(Number.isInteger)) {
    svg("line", plot, {class: "axis", x1: xOf(epoch), x2: xOf(epoch), y1: bottom, y2: bottom + 4});
    svg("text", plot, {class: "tick", x: xOf(epoch), y: bottom + 17, "text-anchor": "middle"}, String(epoch));
  }
  svg("line", plot, {class: "axis", x1: left, x2: right, y1: bottom, y2: bottom});
  svg("text", plot, {class: "tick", x: (left + right) / 2, y: height - 6, "text-anchor": "middle"}, "epoch");
  for (const line of lines) {
    svg("path", plot, {class: `curve ${line.name}${shown.length > 1 ? " many" : ""}`, d: curvePath(line.numbers, xOf, yOf)});
  }
  for (const {best, numbers} of lines) {
    if (best && numbers[best - 1] !== null) svg("circle", plot, {class: "kept", cx: xOf(best), cy: yOf(numbers[best - 1]), r: 4});
  }
}

/// `score` is the name of the score.
function drawCurves(score = "accuracy") {
  drawCurve("loss", "loss", "loss (mean cross-entropy)", (numbers) => {
    // The first epochs may be far above all others, which would then look flat.
    const sorted = [...numbers].sort((a, b) => a - b);
    const to = Math.max(1.1 * sorted[Math.floor(0.99 * (sorted.length - 1))], 1e-3);
    return {from: 0, to, ticks: roundNumbers(0, to, 5).map((value) => ({value, text: short(value)}))};
  });
  drawCurve("accuracy", "accuracy", score, (numbers) => {
    const range = scoreRange(numbers);
    return {from: range.from, to: range.to, ticks: scoreTicks(range, 5).map(({score, text}) => ({value: score, text}))};
  });
}
