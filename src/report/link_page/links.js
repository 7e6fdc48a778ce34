// Scores and ranks of pairs, and the arcs that are missing.

const metricTitles = {
  "accuracy": "accuracy", "macro_f1": "macro-F1", "auc": "AUC", "ap": "average precision", "mrr": "MRR", "hits@20": "Hits@20",
  "hits@50": "Hits@50", "hits@100": "Hits@100",
};

function drawLinkScores() {
  byId("scores-text").textContent =
      `${data.question} The scores of the test pairs of each split, with the messages of its training arcs. ` +
      `The best epoch is the one with the best ${metricTitles[data.metric]} on the validation pairs.`;
  const metrics = Object.keys(metricTitles).filter((metric) => metric in data.splits[0]);
  drawRows("scores", [
    {name: "split", text: (row) => String(row.split)},
    {name: "test pairs", text: (row) => String(row.num_test)},
    ...metrics.map((metric) => ({name: metricTitles[metric], text: (row) => percent(row[metric])})),
  ], data.splits);
}

/// "1", "2 to 5", "above 500".
const rankText = ({from, to}) => to === null ? `above ${from - 1}` : from === to ? String(to) : `${from} to ${to}`;

function drawRanks() {
  const {bins, num_arcs} = data.ranks;
  byId("ranks-text").textContent =
      `The rank of each of the ${num_arcs} test arcs among the test pairs of its split that are no arcs: 1 is above all of them. ` +
      `Equal scores share their ranks. A bar is the share of the arcs with these ranks.`;
  const width = Math.max(byId("ranks").clientWidth, 320), height = 230;
  const left = 52, right = width - 12, above = 16, bottom = height - 40;
  const range = {from: 0, to: Math.max(...bins.map(({share}) => share), 0.01) * 1.08};
  const yOf = (share) => bottom - (bottom - above) * share / range.to;
  const plot = newPlot("ranks", width, height, "Share of the test arcs by rank");
  for (const {score, text} of scoreTicks(range, 4)) {
    svg("line", plot, {class: "grid", x1: left, x2: right, y1: yOf(score), y2: yOf(score)});
    svg("text", plot, {class: "tick", x: left - 6, y: yOf(score) + 4, "text-anchor": "end"}, text);
  }
  const step = (right - left) / bins.length;
  bins.forEach((bin, i) => {
    const x = left + i * step;
    const bar = svg("rect", plot, {class: "reached", x: x + 0.12 * step, width: 0.76 * step, y: yOf(bin.share), height: bottom - yOf(bin.share)});
    svg("title", bar, {}, `rank ${rankText(bin)}: ${percent(bin.share)}`);
    svg("text", plot, {class: "tick", x: x + step / 2, y: bottom + 17, "text-anchor": "middle"}, rankText(bin));
  });
  svg("line", plot, {class: "axis", x1: left, x2: right, y1: bottom, y2: bottom});
  svg("text", plot, {class: "tick", x: (left + right) / 2, y: height - 6, "text-anchor": "middle"}, "rank");
}

function drawMissing() {
  if (!data.missing) {
    byId("missing-text").textContent = "A model of directions assumes that there is an arc, so it cannot find missing ones.";
    return;
  }
  byId("missing-text").textContent =
      `The pairs without an arc u → v to which the model of split ${data.missing.split} gives the highest probability, at most ` +
      `${data.missing.of_node} from each node. All arcs of the data carry messages.`;
  drawRows("missing", [
    {name: "source", text: (row) => row.source, className: "name"},
    {name: "target", text: (row) => row.target, className: "name"},
    {name: "probability", text: (row) => percent(row.probability)},
    {name: "reverse is an arc", text: (row) => row.is_reverse ? "yes" : "no"},
  ], data.missing.arcs);
}
