// The trials as a sortable table.

function drawTable() {
  const hasFailure = trials.some((trial) => trial.failure);
  // Scores are sorted descending first, other columns ascending.
  const columns = [
    {name: "place", key: (trial) => trials.indexOf(trial) + 1},
    {name: "trial", key: (trial) => trial.number},
    {name: "rung", key: (trial) => trial.rung < 0 ? null : trial.rung + 1, isBestFirst: true},
    {name: "splits", key: (trial) => trial.rung < 0 ? null : trial.splits, isBestFirst: true},
    {name: "validation", key: (trial) => trial.validation, text: (score) => percent(score), isBestFirst: true},
    {name: "test", note: "not used for selection", key: (trial) => trial.test, isBestFirst: true,
     text: (test, trial) => test === null ? "–" : `${(100 * test).toFixed(2)} ± ${(100 * (trial.test_deviation || 0)).toFixed(2)} %`},
    {name: "seconds", key: (trial) => trial.seconds, text: (seconds) => seconds.toFixed(1)},
  ];
  if (hasFailure) columns.push({name: "failure", key: (trial) => trial.failure || null, text: (failure) => failure || "", className: "failure"});
  axes.forEach((axis) => columns.push({name: axis.name, key: axis.valueOf}));

  const table = byId("table");
  table.replaceChildren();
  if (!trials.length) return;
  const heading = html("tr", html("thead", table));
  const body = html("tbody", table);
  const rows = trials.map((trial, index) => {
    const row = html("tr", body);
    row.dataset.index = index;
    for (const {key, text, className} of columns) {
      const value = key(trial);
      html("td", row, text ? text(value, trial) : value === null ? "–" : short(value), className);
    }
    return row;
  });
  columns.forEach((column, i) => {
    const cell = html("th", heading, undefined, column.className);
    cell.scope = "col";
    const button = html("button", cell);
    button.type = "button";
    // Long names may break after an underscore.
    column.name.split(/(?<=_)/).forEach((part) => button.append(part, document.createElement("wbr")));
    if (column.note) html("small", button, column.note);
    if (i === 0) cell.setAttribute("aria-sort", "ascending");
    button.addEventListener("click", () => sortBy(column, cell));
  });

  function sortBy(column, cell) {
    const before = cell.getAttribute("aria-sort");
    const isAscending = before ? before === "descending" : !column.isBestFirst;
    for (const other of heading.children) other.removeAttribute("aria-sort");
    cell.setAttribute("aria-sort", isAscending ? "ascending" : "descending");
    const compare = (a, b) => {
      const x = column.key(trials[a]), y = column.key(trials[b]);
      if (x === null || y === null) return (x === null) - (y === null);  // unknown values last
      const order = x < y ? -1 : x > y ? 1 : 0;
      return isAscending ? order : -order;
    };
    const order = trials.map((_, index) => index).sort((a, b) => compare(a, b) || a - b);
    body.append(...order.map((index) => rows[index]));
  }

  body.addEventListener("pointerover", (event) => {
    const row = event.target.closest("tr");
    choose(row ? Number(row.dataset.index) : null);
  });
  body.addEventListener("pointerleave", () => choose(null));
  choiceListeners[2] = (index) => rows.forEach((row, i) => row.classList.toggle("chosen", i === index));
  filterListeners[0] = (isIn) => {
    let shown = 0;
    rows.forEach((row, index) => {
      row.hidden = !isIn(index);
      shown += !row.hidden;
    });
    byId("num-shown").textContent = shown < trials.length ? ` Shown: ${shown} of ${trials.length}, as selected on the axes above.` : "";
  };
}
