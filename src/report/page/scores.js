// The scores of each split, and the parameters of the run.

const rangeOf = ({low, high}) => `${(100 * low).toFixed(2)} to ${(100 * high).toFixed(2)} %`;
const withInterval = ({mean, interval}) => percent(mean) + (interval ? ` (${rangeOf(interval)})` : "");

function drawScores() {
  const isOne = data.splits.length === 1;
  byId("scores-text").textContent =
      (isOne ? "" : `At the head of the page: means over ${data.splits.length} splits with 95 % confidence intervals (Student's t). `) +
      `In the table: the 95 % confidence interval of the accuracy for the number of test nodes (Wilson). Macro-F1: the mean F1 of the ` +
      `classes. Largest class: the share of the most frequent class among the test nodes, which is the accuracy of a model that always ` +
      `predicts this class.`;
  drawRows("scores", [
    {name: "split", text: (row) => String(row.split)},
    {name: "test nodes", text: (row) => String(row.num_test)},
    {name: "test accuracy", text: (row) => percent(row.accuracy)},
    {name: "95 % interval", text: (row) => rangeOf(row.interval)},
    {name: "macro-F1", text: (row) => percent(row.macro_f1)},
    {name: "best epoch", text: (row) => row.best_epoch === null ? "–" : String(row.best_epoch)},
  ], data.splits);
}

function drawParameters() {
  byId("parameters-text").textContent = `Seed ${data.seed}. Bold: values that differ from the default.`;
  for (const {name, value, is_default} of data.parameters) {
    html("li", byId("parameters"), `${name} = ${value}`, is_default ? "" : "changed");
  }
}
