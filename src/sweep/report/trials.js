// The trials, and the selection shared by the plots.
const sweep = data;
const trials = sweep.trials;

function summary(trial) {
  const score = trial.validation === null ? "no validation score"
      : `validation ${percent(trial.validation)} over ${plural(trial.splits, "split")}`;
  const rung = trial.rung < 0 ? "no rung finished" : `rung ${trial.rung + 1} of ${sweep.num_rungs}`;
  return `Trial ${trial.number}: ${score}, ${rung}, ${duration(trial.seconds)}`;
}

// The trial under the pointer, and the axes that hide some trials; every existing plot is notified
// of both. (forEach skips missing ones.)
const choiceListeners = [];
let chosen = null;
function choose(index) {
  if (index === chosen) return;
  chosen = index;
  choiceListeners.forEach((listener) => listener(index));
}
const filterListeners = [];
function filterChanged(isIn) {
  filterListeners.forEach((listener) => listener(isIn));
}
