// The model compared with an MLP and with itself at charge 0: differences with intervals.

const questions = {
  "mlp": {of: "the graph", other: "mlp, which uses only the features"},
  "charge-0": {of: "arc directions", other: "the same network with charge 0, which ignores directions"},
};
const points = (share) => {
  const text = Math.abs(100 * share).toFixed(2);
  return (Number(text) === 0 ? "" : share < 0 ? "−" : "+") + text;
};
const pointsInterval = (interval) => interval ? `${points(interval.low)} to ${points(interval.high)}` : "–";

/// The verdict of the corrected interval.
function verdict({corrected}) {
  if (!corrected) return "–";
  return corrected.low > 0 ? "gain" : corrected.high < 0 ? "loss" : "unclear";
}

/// Why a question is not answered; empty if it is.
function unanswered() {
  const {model, comparisons, parameters} = data;
  if (model === "mlp") return "An mlp does not use the graph, so there is nothing to compare.";
  if (comparisons.some(({name}) => name === "charge-0")) return "";
  return parameters.some(({name}) => name === "q") ? "The charge of this network is 0: it already ignores arc directions."
      : `${model} has no charge, so the benefit of arc directions is not measured.`;
}

function drawComparison() {
  if (data.comparisons === null) return noPlot("comparison", "Not measured: the page was written with --no-comparison.");
  if (!data.comparisons.length) return noPlot("comparison", unanswered());
  const rows = data.comparisons.filter((row) => row.difference !== null);
  if (!rows.length) return noPlot("comparison", "The networks for comparison could not be trained.");
  const kRow = 40;
  const ends = rows.flatMap(({difference, corrected}) => [difference, corrected?.low ?? difference, corrected?.high ?? difference]);
  const least = Math.min(0, ...ends), most = Math.max(0, ...ends), room = 0.08 * (most - least) || 0.01;
  const width = Math.min(Math.max(byId("comparison").clientWidth, 320), 900), height = rows.length * kRow + 44;
  const left = 120, right = width - 20, bottom = rows.length * kRow + 6;
  const xOf = (share) => left + (right - left) * (share - least + room) / (most - least + 2 * room);
  const plot = newPlot("comparison", width, height, "Differences of test accuracy");
  for (const number of roundNumbers(100 * (least - room), 100 * (most + room), 7)) {
    const x = xOf(number / 100);
    svg("line", plot, {class: "grid", x1: x, x2: x, y1: 0, y2: bottom});
    svg("text", plot, {class: "tick", x, y: bottom + 16, "text-anchor": "middle"}, short(number));
  }
  svg("line", plot, {class: "zero", x1: xOf(0), x2: xOf(0), y1: 0, y2: bottom});
  rows.forEach((row, i) => {
    const y = i * kRow + kRow / 2;
    svg("text", plot, {x: left - 10, y: y + 4, "text-anchor": "end"}, questions[row.name].of);
    const reach = (interval, className) => {
      if (interval) svg("line", plot, {class: className, x1: xOf(interval.low), x2: xOf(interval.high), y1: y, y2: y});
    };
    reach(row.corrected, "reach wide");
    reach(row.interval, "reach");
    svg("circle", plot, {class: "reached", cx: xOf(row.difference), cy: y, r: 5});
  });
  svg("text", plot, {class: "tick", x: (left + right) / 2, y: height - 8, "text-anchor": "middle"}, "gain in test accuracy (percentage points)");
}

function drawComparisonTable() {
  if (!data.comparisons || !data.comparisons.length) return;
  const isOne = data.splits.length === 1;
  byId("comparison-text").textContent =
      `Test accuracy of ${data.model} minus that of another network, trained with the same training parameters on the same splits, in ` +
      `percentage points. ` + (isOne ? "One split gives no interval: train several splits to test whether a difference is significant. "
      : `The interval is the 95 % confidence interval of the mean difference (paired t). Splits share nodes, which makes it too narrow; ` +
        `the corrected interval (Nadeau and Bengio) accounts for that. The result is a gain or a loss if the corrected interval ` +
        `does not contain 0. `) + unanswered();
  const columns = [
    {name: "benefit of", text: (row) => questions[row.name].of, className: "name"},
    {name: "compared with", text: (row) => questions[row.name].other, className: "name"},
    {name: "its accuracy", text: (row) => percent(row.accuracy)},
    {name: "difference", text: (row) => row.difference === null ? "–" : points(row.difference)},
  ];
  if (!isOne) {
    columns.push({name: "interval", text: (row) => pointsInterval(row.interval)},
                 {name: "corrected", text: (row) => pointsInterval(row.corrected)},
                 {name: "result", text: verdict});
  }
  if (data.comparisons.some(({num_splits}) => num_splits < data.splits.length)) {
    columns.push({name: "trained splits", text: (row) => String(row.num_splits)});
  }
  drawRows("comparison-table", columns, data.comparisons);
}
