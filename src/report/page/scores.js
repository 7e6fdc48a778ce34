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
  ], data.splits);
}

/// Of a single network: all of them. Of several: a row each.
function drawParameters() {
  const changes = ({parameters}) => parameters.filter(({is_default}) => !is_default).map(({name, value}) => `${name} = ${value}`).join(", ");
  if (data.members.length > 1) {
    byId("parameters-text").textContent =
        `The page is about the mean of the probabilities of these networks. Test accuracy: that of each network alone, the mean over the splits.`;
    return drawRows("members", [
      {name: "network", text: (row) => String(data.members.indexOf(row) + 1)},
      {name: "model", text: (row) => row.model, className: "name"},
      {name: "seed", text: (row) => String(row.seed)},
      {name: "test accuracy", text: (row) => percent(row.accuracy)},
      {name: "parameters that differ from the defaults", text: (row) => changes(row) || "none", className: "name"},
    ], data.members);
  }
  const [{seed, parameters}] = data.members;
  byId("parameters-text").textContent = `Seed ${seed}. Bold: values that differ from the default.`;
  for (const {name, value, is_default} of parameters) {
    html("li", byId("parameters"), `${name} = ${value}`, is_default ? "" : "changed");
  }
}
