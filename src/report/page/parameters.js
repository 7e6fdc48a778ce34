// Networks, their parameters, and means with their intervals.

const rangeOf = ({low, high}) => `${(100 * low).toFixed(2)} to ${(100 * high).toFixed(2)} %`;
const withInterval = ({mean, interval}) => percent(mean) + (interval ? ` (${rangeOf(interval)})` : "");

/// "2 × magnet, dirgnn": of several networks, how many there are of each model.
function modelsText() {
  const counts = new Map();
  for (const {model} of data.members) counts.set(model, (counts.get(model) ?? 0) + 1);
  return [...counts].map(([model, count]) => count > 1 ? `${count} × ${model}` : model).join(", ");
}

/// Of a single network: all of them. Of several: a row each. `score` is the name of the test score.
function drawParameters(score = "accuracy") {
  const changes = ({parameters}) => parameters.filter(({is_default}) => !is_default).map(({name, value}) => `${name} = ${value}`).join(", ");
  if (data.members.length > 1) {
    byId("parameters-text").textContent =
        `The page is about the mean of the probabilities of these networks. Test ${score}: that of each network alone, the mean over the splits.`;
    return drawRows("members", [
      {name: "network", text: (row) => String(data.members.indexOf(row) + 1)},
      {name: "model", text: (row) => row.model, className: "name"},
      {name: "seed", text: (row) => String(row.seed)},
      {name: `test ${score}`, text: (row) => percent(row.accuracy)},
      {name: "parameters that differ from the defaults", text: (row) => changes(row) || "none", className: "name"},
    ], data.members);
  }
  const [{seed, parameters}] = data.members;
  byId("parameters-text").textContent = `Seed ${seed}. Bold: values that differ from the default.`;
  for (const {name, value, is_default} of parameters) {
    html("li", byId("parameters"), `${name} = ${value}`, is_default ? "" : "changed");
  }
}
