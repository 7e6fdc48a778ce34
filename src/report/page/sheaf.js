// What a sheaf network learned: the edges that disagree most, and the entries of its maps.

function drawEdges() {
  const {edges, num_edges, median, split} = data.sheaf;
  byId("edges-text").textContent =
      `|F x_u − T F x_v|: how far apart the two ends of an edge are in its stalk, by the last layer's maps and the features that go into ` +
      `that layer. Model of split ${split}; the median of ${plural(num_edges, "edge")} is ${short(median)}.`;
  const label = (text) => text === null ? "–" : text;
  drawRows("edges", [
    {name: "from", text: (row) => row.source, className: "name"},
    {name: "", text: (row) => row.is_two_way ? "↔" : "→"},
    {name: "to", text: (row) => row.target, className: "name"},
    {name: "labels", text: (row) => `${label(row.source_label)}, ${label(row.target_label)}`, className: "name"},
    {name: "disagreement", text: (row) => short(row.disagreement)},
  ], edges);
}

function drawMaps() {
  const {layers, from, to, split} = data.sheaf;
  byId("maps-text").textContent =
      `How often the entries of the restriction maps have a value, layer by layer (model of split ${split}; real and imaginary parts). ` +
      `Each histogram has its own height.`;
  const width = Math.min(Math.max(byId("maps").clientWidth, 320), 560), kRow = 92, height = layers.length * kRow + 36;
  const left = 62, right = width - 12;
  const xOf = (value) => left + (right - left) * (value - from) / (to - from);
  const plot = newPlot("maps", width, height, "Histograms of the entries of the maps");
  layers.forEach(({layer, counts}, i) => {
    const bottom = (i + 1) * kRow, most = Math.max(1, ...counts);
    svg("text", plot, {x: left - 8, y: bottom - 4, "text-anchor": "end"}, `layer ${layer}`);
    counts.forEach((count, k) => {
      const tall = (kRow - 14) * count / most;
      const bar = svg("rect", plot, {class: "bar", x: left + (right - left) * k / counts.length, y: bottom - tall,
          width: Math.max(1, (right - left) / counts.length - 1), height: tall});
      svg("title", bar, {}, `${short(from + (to - from) * k / counts.length)} to ${short(from + (to - from) * (k + 1) / counts.length)}: ${count}`);
    });
    svg("line", plot, {class: "axis", x1: left, x2: right, y1: bottom, y2: bottom});
  });
  const bottom = layers.length * kRow;
  for (const number of roundNumbers(from, to, 6)) {
    svg("text", plot, {class: "tick", x: xOf(number), y: bottom + 16, "text-anchor": "middle"}, short(number));
  }
  svg("text", plot, {class: "tick", x: (left + right) / 2, y: height - 6, "text-anchor": "middle"}, "entry of a map");
}
