// Draws everything, and redraws the plots when the window changes its width.

drawFacts([
  data.members.length > 1 ? ["networks", modelsText()] : ["model", `${data.members[0].model}: ${data.members[0].title}`],
  ["dataset", `${data.dataset} (${plural(data.num_nodes, "node")}, ${plural(data.num_arcs, "arc")})`],
  ["test accuracy", withInterval(data.accuracy)],
  ["macro-F1", withInterval(data.macro_f1)],
  ["largest class", percent(data.largest_class)],
  ["splits", data.splits.length + (data.is_finished ? "" : "; training incomplete")],
]);
drawParameters();
drawScores();
drawCurvesText();
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
