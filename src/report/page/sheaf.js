// What a sheaf network learned: the edges that disagree most, and the entries of its maps.

function drawEdges() {
  const {edges, num_edges, median, split} = data.sheaf;
  byId("edges-text").textContent =
      `Disagreement: |F_h x_u − T_h F_h′ x_v|, the distance between the endpoints u and v of an edge in the stalk of the edge. x: the input ` +
      `features of the last layer, F: its restriction maps, T_h: the phase for the direction of the edge. ` +
      `Median over ${plural(num_edges, "edge")}: ${short(median)}. Model of split ${split}.`;
  const label = (text) => text === null ? "–" : text;
  const arrow = (row) => row.is_two_way ? "↔" : "→";
  drawRows("edges", [
    {name: "from", text: (row) => row.source, className: "name"},
    {name: "", text: arrow},
    {name: "to", text: (row) => row.target, className: "name"},
    {name: "classes", text: (row) => `${label(row.source_label)} ${arrow(row)} ${label(row.target_label)}`, className: "name"},
    {name: "disagreement", text: (row) => short(row.disagreement)},
    {name: "÷ median", text: (row) => median > 0 ? (row.disagreement / median).toFixed(1) : "–"},
  ], edges);
}

function drawMaps() {
  const {layers, from, to, split, charge} = data.sheaf;
  byId("maps-text").textContent =
      `Histograms of the entries of the restriction maps, over all edges, of each layer with its own maps; both parts of complex entries. ` +
      `Model of split ${split}.` + (charge === null ? "" : ` Charge q: ${short(charge)}.`);
  const width = Math.min(Math.max(byId("maps").clientWidth, 320), 560), kRow = 92, height = layers.length * kRow + 36;
  const left = 100, right = width - 12;
  const xOf = (value) => left + (right - left) * (value - from) / (to - from);
  const plot = newPlot("maps", width, height, "Histograms of the entries of the maps");
  layers.forEach(({layer, counts}, i) => {
    const bottom = (i + 1) * kRow, most = Math.max(1, ...counts), total = counts.reduce((sum, count) => sum + count, 0);
    svg("text", plot, {x: 0, y: bottom - 36}, `layer ${layer}`);
    svg("line", plot, {class: "grid", x1: left, x2: right, y1: bottom - kRow + 14, y2: bottom - kRow + 14});
    svg("text", plot, {class: "tick", x: left - 6, y: bottom - kRow + 18, "text-anchor": "end"}, percent(most / total, 1));
    svg("text", plot, {class: "tick", x: left - 6, y: bottom, "text-anchor": "end"}, "0 %");
    counts.forEach((count, k) => {
      const tall = (kRow - 14) * count / most;
      const bar = svg("rect", plot, {class: "bar", x: left + (right - left) * k / counts.length, y: bottom - tall,
          width: Math.max(1, (right - left) / counts.length - 1), height: tall});
      svg("title", bar, {}, `${short(from + (to - from) * k / counts.length)} to ${short(from + (to - from) * (k + 1) / counts.length)}: ${count} of ${total} entries`);
    });
    svg("line", plot, {class: "axis", x1: left, x2: right, y1: bottom, y2: bottom});
  });
  const bottom = layers.length * kRow;
  for (const number of roundNumbers(from, to, 6)) {
    svg("text", plot, {class: "tick", x: xOf(number), y: bottom + 16, "text-anchor": "middle"}, short(number));
  }
  svg("text", plot, {class: "tick", x: (left + right) / 2, y: height - 6, "text-anchor": "middle"}, "value of an entry");
}
