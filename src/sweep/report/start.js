// Draws everything, and redraws the plots when the window changes its width.

function sweepFacts() {
  const best = scored[0];  // trials are sorted
  const end = Math.max(0, ...trials.flatMap((trial) => trial.rungs.map((rung) => rung.finished_at)));
  const training = trials.reduce((sum, trial) => sum + trial.seconds, 0);
  const numFailed = trials.filter((trial) => trial.failure).length;
  return [
    ["model", sweep.model], ["dataset", sweep.dataset],
    ["method", sweep.method + (sweep.num_rungs > 1 ? `, ${plural(sweep.num_rungs, "rung")}` : "")],
    ["trials", trials.length + (numFailed ? `, ${numFailed} failed` : "") + (sweep.is_complete ? "" : "; incomplete")],
    ["time", `${duration(end)} (${duration(training)} of training)`],
    ["best validation score", best ? `${percent(best.validation)} (trial ${best.number}, ${plural(best.splits, "split")})`
        : "none"],
  ];
}

function drawPlots() {
  drawLines();
  drawTime();
  drawImportance();
}

drawFacts(sweepFacts());
drawTable();
drawAtAnyWidth(drawPlots);
drawChoice(null);
choiceListeners[3] = drawChoice;
