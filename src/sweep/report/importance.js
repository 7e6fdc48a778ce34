// The shares of variance, computed by the library, as bars.

function drawImportance() {
  const {parameters, num_compared, num_failed} = sweep.importance;
  const known = parameters.filter((parameter) => parameter.share !== null);
  byId("importance-text").textContent =
      `Share of the variance of the validation score that each parameter explains by itself, at the first rung, where all ` +
      `trials are trained alike: over ${plural(num_compared, "trial")}` +
      (num_failed ? ` (${num_failed} that failed there ${num_failed === 1 ? "is" : "are"} left out)` : "") +
      `, corrected for the number of values (epsilon squared; ranges count as four bins). Interactions of parameters are ` +
      `not included. A parameter without effect stays left of the vertical mark in 95 of 100 cases, so about one of twenty ` +
      `such parameters passes it; pale bars do not reach it.`;
  if (!parameters.length) return noPlot("importance", "The sweep has no parameter with more than one value.");
  if (!known.length) {
    return noPlot("importance", num_compared < 3 ? "Too few trials for an estimate."
    : "No estimate: all scores are equal, or too few values were tried twice.");
  }
  const kRow = 21;
  const width = Math.max(byId("importance").clientWidth, 360), height = parameters.length * kRow + 8;
  const names = parameters.map((parameter) => fitted(parameter.name, 12, 0.4 * width));
  const left = 10 + Math.max(...names.map((name) => textWidth(name, 12)));
  const scale = (width - left - 60) / Math.max(0.05, ...known.map((parameter) => Math.max(parameter.share, parameter.chance)));
  const plot = newPlot("importance", width, height, "Share of variance that each parameter explains");
  parameters.forEach((parameter, i) => {
    const y = 4 + i * kRow;
    const name = svg("text", plot, {x: left - 8, y: y + 14, "text-anchor": "end"}, names[i]);
    if (names[i] !== parameter.name) svg("title", name, {}, parameter.name);
    if (parameter.share === null) {
      svg("text", plot, {class: "tick", x: left + 4, y: y + 14}, "unknown");
      return;
    }
    const isWeak = parameter.share <= parameter.chance;
    svg("rect", plot, {class: isWeak ? "bar weak" : "bar", x: left, y: y + 3, width: scale * parameter.share, height: kRow - 7});
    const mark = left + scale * parameter.chance;
    svg("line", plot, {class: "chance", x1: mark, x2: mark, y1: y + 1, y2: y + kRow - 2});
    svg("text", plot, {x: width - 4, y: y + 14, "text-anchor": "end"}, percent(parameter.share, 0));
  });
  svg("line", plot, {class: "axis", x1: left, x2: left, y1: 0, y2: height});
}
