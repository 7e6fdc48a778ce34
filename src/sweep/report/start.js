// Draws everything, the plots again when the window changes its width.

function drawFacts() {
  const best = scored[0];  // trials stand in order
  const end = Math.max(0, ...trials.flatMap((trial) => trial.rungs.map((rung) => rung.finished_at)));
  const training = trials.reduce((sum, trial) => sum + trial.seconds, 0);
  const numFailed = trials.filter((trial) => trial.failure).length;
  const facts = [
    ["model", sweep.model], ["dataset", sweep.dataset],
    ["method", sweep.method + (sweep.num_rungs > 1 ? `, ${plural(sweep.num_rungs, "rung")}` : "")],
    ["trials", trials.length + (numFailed ? `, ${numFailed} failed` : "") + (sweep.is_complete ? "" : "; not all is done")],
    ["time", `${duration(end)} (${duration(training)} of training)`],
    ["best validation score", best ? `${percent(best.validation)} (trial ${best.number}, ${plural(best.splits, "split")})`
        : "no trial has one"],
  ];
  for (const [name, text] of facts) {
    const box = html("div", byId("facts"));
    html("dt", box, name);
    html("dd", box, text);
  }
}

function drawPlots() {
  drawLines();
  drawTime();
  drawImportance();
}

drawFacts();
drawTable();
drawPlots();
drawChoice(null);
choiceListeners[3] = drawChoice;

let lastWidth = window.innerWidth;
window.addEventListener("resize", () => {
  if (window.innerWidth === lastWidth) return;
  lastWidth = window.innerWidth;
  requestAnimationFrame(drawPlots);
});
