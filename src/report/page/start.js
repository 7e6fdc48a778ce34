// Draws everything, the plots again when the window changes its width.

const withInterval = ({mean, interval}) => percent(mean) +
    (interval ? ` (${(100 * interval.low).toFixed(2)} to ${(100 * interval.high).toFixed(2)} %)` : "");

drawFacts([
  ["model", `${data.model}: ${data.title}`],
  ["dataset", `${data.dataset} (${plural(data.num_nodes, "node")}, ${plural(data.num_arcs, "arc")})`],
  ["test accuracy", withInterval(data.accuracy)],
  ["macro-F1", withInterval(data.macro_f1)],
  ["chance", percent(data.chance)],
  ["splits", data.splits.length + (data.is_finished ? "" : "; not trained to their end")],
]);
byId("interval-text").textContent = (data.splits.length > 1
    ? `Means over ${plural(data.splits.length, "split")} with 95 % intervals (t).`
    : `One split, with Wilson's 95 % interval over its ${plural(data.splits[0].num_test, "test node")}.`) +
    " Chance: the share of the largest class among the test nodes.";
byId("parameters").textContent = data.parameters.map(({name, value, is_default}) =>
    `${name} = ${value}${is_default ? "" : " *"}`).join(", ") + ". A star marks what is not the default.";

drawComparisonTable();
drawCurveChoice();
drawCurveLegend();
drawConfusion();
drawClasses();
drawMistakes();
if (data.sheaf) {
  byId("sheaf").hidden = false;
  drawEdges();
}
drawAtAnyWidth(() => {
  drawComparison();
  drawCurves();
  drawCalibration();
  if (data.sheaf) drawMaps();
});
