// The confusion matrix, the scores of each class, and the worst mistakes, as tables.

/// A table of rows; columns are {name, text(row), className}.
function drawRows(id, columns, rows) {
  const table = byId(id);
  const heading = html("tr", html("thead", table));
  for (const {name, className} of columns) html("th", heading, name, className).scope = "col";
  const body = html("tbody", table);
  for (const row of rows) {
    const line = html("tr", body);
    for (const {text, className} of columns) html("td", line, text(row), className);
  }
}

function drawConfusion() {
  const table = byId("confusion");
  const heading = html("tr", html("thead", table));
  html("th", heading, "labelled \\ predicted");
  for (const {name} of data.classes) html("th", heading, name).scope = "col";
  const body = html("tbody", table);
  data.confusion.forEach((counts, i) => {
    const row = html("tr", body);
    html("th", row, data.classes[i].name).scope = "row";
    counts.forEach((count, j) => {
      const cell = html("td", row, String(count), i === j ? "right" : undefined);
      const share = data.classes[i].support ? count / data.classes[i].support : 0;
      // Never so strong that the number on it could not be read.
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

function drawMistakes() {
  const isOne = data.splits.length === 1;
  byId("mistakes-text").textContent = data.mistakes.length
      ? `Test nodes by the probability that their model gives to a wrong class${isOne ? "" : ": that of the split where it is largest"}.`
      : "No test node is predicted wrongly.";
  if (!data.mistakes.length) return;
  const columns = [
    {name: "node", text: (row) => row.node, className: "name"},
    {name: "label", text: (row) => row.label, className: "name"},
    {name: "prediction", text: (row) => row.predicted, className: "name"},
    {name: "probability", text: (row) => row.probability.toFixed(4)},
    {name: "degree", text: (row) => String(row.degree)},
  ];
  if (!isOne) columns.push({name: "wrong in splits", text: (row) => `${row.num_wrong} of ${row.num_tested}`});
  drawRows("mistakes", columns, data.mistakes);
}
