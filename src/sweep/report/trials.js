// The trials, and what the plots tell each other of them.
const sweep = data;
const trials = sweep.trials;

function summary(trial) {
  const score = trial.validation === null ? "no validation score"
      : `validation ${percent(trial.validation)} over ${plural(trial.splits, "split")}`;
  const rung = trial.rung < 0 ? "no rung finished" : `rung ${trial.rung + 1} of ${sweep.num_rungs}`;
  return `Trial ${trial.number}: ${score}, ${rung}, ${duration(trial.seconds)}`;
}

// The trial that is pointed at, and the axes that hide some; every plot that is there hears of both.
// (forEach leaves out those that are not.)
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
