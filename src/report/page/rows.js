// A table with one line per data row.

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
