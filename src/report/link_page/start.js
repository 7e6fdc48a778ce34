// Draws everything, and redraws the plots when the window changes its width.

drawFacts([
  data.members.length > 1 ? ["networks", modelsText()] : ["model", `${data.members[0].model}: ${data.members[0].title}`],
  ["dataset", `${data.dataset} (${plural(data.num_nodes, "node")}, ${plural(data.num_arcs, "arc")})`],
  [`test ${metricTitles[data.metric]}`, withInterval(data.score)],
  ["splits", data.splits.length + (data.is_finished ? "" : "; training incomplete")],
]);
drawParameters(metricTitles[data.metric]);
drawLinkScores();
drawCurvesText();
drawCurveChoice();
drawCurveLegend();
drawMissing();
if (data.ranks) byId("ranks-part").hidden = false;
drawAtAnyWidth(() => {
  drawCurves(metricTitles[data.metric]);
  if (data.ranks) drawRanks();
});
