// The model beside an MLP, and beside itself with charge 0: differences with their intervals.

const questions = {
  "mlp": {of: "the graph", other: "mlp, which sees features alone"},
  "charge-0": {of: "the directions", other: "the same with charge 0, which sees no direction"},
};
const points = (share) => `${share < 0 ? "−" : "+"}${Math.abs(100 * share).toFixed(2)}`;
const pointsInterval = (interval) => interval ? `${points(interval.low)} to ${points(interval.high)}` : "–";

function drawComparison() {
  if (data.comparisons === null) return noPlot("comparison", "The page was written without comparisons.");
  if (!data.comparisons.length) return noPlot("comparison", "There is nothing to compare this model with.");
  const rows = data.comparisons.filter((row) => row.difference !== null);
  if (!rows.length) return noPlot("comparison", "The others' training failed.");
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
  svg("text", plot, {class: "tick", x: (left + right) / 2, y: height - 8, "text-anchor": "middle"}, "test accuracy gained (points)");
}

function drawComparisonTable() {
  if (!data.comparisons || !data.comparisons.length) return;
  byId("comparison-text").textContent =
      `Test accuracy of ${data.model} minus that of another network on the same splits, in points: the mean of the differences, and its ` +
      `95 % interval (paired t). Splits share nodes, so that their scores vary too little together; the wide interval corrects for that ` +
      `(Nadeau and Bengio).` + (data.splits.length === 1 ? " Of one split there is no interval." : "");
  drawRows("comparison-table", [
    {name: "worth of", text: (row) => questions[row.name].of, className: "name"},
    {name: "compared with", text: (row) => questions[row.name].other, className: "name"},
    {name: "its accuracy", text: (row) => percent(row.accuracy)},
    {name: "difference", text: (row) => row.difference === null ? "–" : points(row.difference)},
    {name: "95 % interval", text: (row) => pointsInterval(row.interval)},
    {name: "corrected", text: (row) => pointsInterval(row.corrected)},
    {name: "splits", text: (row) => String(row.num_splits)},
  ], data.comparisons);
}
