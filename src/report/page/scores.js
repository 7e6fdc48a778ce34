// The scores of each split.

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
