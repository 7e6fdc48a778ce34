// The confusion matrix, the scores of each class, and the worst mistakes, as tables.

function drawConfusion() {
  const table = byId("confusion");
  const head = html("thead", table), above = html("tr", head), heading = html("tr", head);
  html("th", above, "true class").rowSpan = 2;
  html("th", above, "predicted class").colSpan = data.classes.length;
  for (const {name} of data.classes) html("th", heading, name).scope = "col";
  const body = html("tbody", table);
  data.confusion.forEach((counts, i) => {
    const row = html("tr", body);
    html("th", row, data.classes[i].name).scope = "row";
    counts.forEach((count, j) => {
      const cell = html("td", row, String(count), i === j ? "right" : undefined);
      const share = data.classes[i].support ? count / data.classes[i].support : 0;
      // Limited, so that the number stays readable.
      const strength = Math.round(55 * share);
      cell.style.background = `color-mix(in srgb, var(${i === j ? "--r2" : "--r1"}) ${strength}%, transparent)`;
    });
  });
}

function drawClasses() {
  drawRows("classes", [
    {name: "class", text: (row) => row.name, className: "name"},
    {name: "precision", text: (row) => percent(row.precision, 1)},
    {name: "recall", text: (row) => percent(row.recall, 1)},
    {name: "F1", text: (row) => percent(row.f1, 1)},
    {name: "support", text: (row) => String(row.support)},
  ], data.classes);
}

/// A probability is rarely exactly 1, except for rounding.
const probability = (share) => share >= 0.99995 ? "> 99.99 %" : percent(share);

function drawMistakes() {
  const isOne = data.splits.length === 1;
  const {num_nodes, worst} = data.mistakes;
  if (!num_nodes) {
    byId("mistakes-text").textContent = "All test nodes are predicted correctly.";
    return;
  }
  byId("mistakes-text").textContent =
      `${worst.length < num_nodes ? `The first ${worst.length} of ${num_nodes}` : plural(num_nodes, "test node")} ` +
      `${worst.length < num_nodes ? "test nodes with a wrong prediction" : "with a wrong prediction"}, ` +
      `by the probability of the predicted class.` +
      (isOne ? "" : " A node may be a test node of several splits: the row shows the split with the largest probability.");
  const columns = [
    {name: "node", text: (row) => row.node, className: "name"},
    {name: "true class", text: (row) => row.label, className: "name"},
    {name: "predicted", text: (row) => row.predicted, className: "name"},
    {name: "probability", text: (row) => probability(row.probability)},
    {name: "degree", text: (row) => String(row.degree)},
  ];
  if (!isOne) columns.push({name: "wrong in splits", text: (row) => `${row.num_wrong} of ${row.num_tested}`});
  drawRows("mistakes", columns, worst);
}
