// The reliability diagram: how often predictions with a given probability are correct.

function drawCalibration() {
  const {bins, error} = data.calibration;
  byId("calibration-text").textContent =
      `Test predictions of all splits, in ten bins by the probability of the predicted class. Blue points: the share of correct predictions ` +
      `in a bin. Below the dashed line the model is overconfident, above it underconfident. Grey bars: the share of all predictions ` +
      `in a bin. Expected calibration error (the mean distance from the dashed line): ${percent(error, 1)}.`;
  const width = Math.min(Math.max(byId("calibration").clientWidth, 320), 560), height = 320;
  const left = 52, right = width - 14, above = 26, bottom = height - 40;
  const xOf = (share) => left + (right - left) * share;
  const yOf = (share) => bottom - (bottom - above) * share;
  const plot = newPlot("calibration", width, height, "Reliability diagram");
  svg("text", plot, {x: left, y: 14}, "share of correct predictions");
  const total = bins.reduce((sum, bin) => sum + bin.count, 0);
  for (const share of [0, 0.2, 0.4, 0.6, 0.8, 1]) {
    svg("line", plot, {class: "grid", x1: left, x2: right, y1: yOf(share), y2: yOf(share)});
    svg("text", plot, {class: "tick", x: left - 6, y: yOf(share) + 4, "text-anchor": "end"}, percent(share, 0));
    svg("text", plot, {class: "tick", x: xOf(share), y: bottom + 16, "text-anchor": "middle"}, share.toFixed(1));
  }
  bins.forEach((bin, i) => {
    const bar = svg("rect", plot, {class: "count", x: xOf(i / bins.length) + 1, width: (right - left) / bins.length - 2,
        y: yOf(bin.count / total), height: bottom - yOf(bin.count / total)});
    svg("title", bar, {}, plural(bin.count, "prediction"));
  });
  svg("line", plot, {class: "ideal", x1: xOf(0), y1: yOf(0), x2: xOf(1), y2: yOf(1)});
  const known = bins.filter((bin) => bin.count);
  svg("path", plot, {class: "curve train",
      d: known.map((bin, i) => `${i ? "L" : "M"}${xOf(bin.probability).toFixed(1)} ${yOf(bin.accuracy).toFixed(1)}`).join("")});
  for (const bin of known) {
    const point = svg("circle", plot, {class: "reached", cx: xOf(bin.probability), cy: yOf(bin.accuracy), r: 4});
    svg("title", point, {}, `${plural(bin.count, "prediction")}: probability ${bin.probability.toFixed(3)}, correct ${percent(bin.accuracy, 1)}`);
  }
  svg("line", plot, {class: "axis", x1: left, x2: right, y1: bottom, y2: bottom});
  svg("text", plot, {class: "tick", x: (left + right) / 2, y: height - 6, "text-anchor": "middle"}, "probability of the predicted class");
}
