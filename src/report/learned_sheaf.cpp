#include "report/learned_sheaf.h"

#include "dsnn/sheaf/coboundary.h"
#include "dsnn/sheaf/sheaf.h"

#include "nn/sheaf/parts.h"
#include "util/index.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

namespace dsnn {
namespace {

using Part = NetworkParts::Part;

/// Real values, or complex values with a second plane.
std::vector<Complex> complex_numbers(const Part& part) {
  const std::size_t count = part.numbers.size() / at(part.shape[0]);
  std::vector<Complex> numbers(part.numbers.begin(),
                               part.numbers.begin() + static_cast<std::ptrdiff_t>(count));
  if (part.shape[0] == 2) {
    for (std::size_t i = 0; i < count; ++i) numbers[i] += Complex(0, part.numbers[count + i]);
  }
  return numbers;
}

Sheaf sheaf_of(const NetworkParts& parts, const Part& maps, std::size_t layer) {
  SheafOptions options;
  // Maps are orthogonal only to float precision: as general maps they are not checked.
  options.family = maps.shape[3] == 1 ? MapFamily::kDiagonal : MapFamily::kGeneral;
  options.field = maps.shape[0] == 2 ? MapField::kComplex : MapField::kReal;
  options.stalk_dim = static_cast<int>(maps.shape[2]);
  if (const auto charge = parts.parts.find(nn::kChargePart); charge != parts.parts.end()) {
    options.field = MapField::kPhase;
    options.charge = charge->second.numbers[0];
  }
  std::vector<double> weights;
  const auto learned = parts.parts.find(nn::edge_weights_of_layer(layer));
  if (learned != parts.parts.end()) {
    constexpr double kLeast = 1e-30;  // a sigmoid that is rounded to 0 is still positive
    for (const float weight : learned->second.numbers)
      weights.push_back(std::max<double>(weight, kLeast));
  }
  return Sheaf::from_maps(parts.graph, options, complex_numbers(maps), weights);
}

/// |delta(x)_e| for each edge; x: [P, n, D, f], the maps use the first d dimensions.
std::vector<double> disagreements(const Sheaf& sheaf, const Part& features) {
  const std::vector<Complex> x = complex_numbers(features);
  const std::size_t n = at(features.shape[1]), all = at(features.shape[2]),
                    f = at(features.shape[3]);
  const auto d = static_cast<std::size_t>(sheaf.stalk_dim());
  std::vector<double> squares(at(sheaf.graph().num_edges()), 0);
  std::vector<Complex> channel(n * d);
  // One channel at a time: all of them for all edges might not fit into memory.
  for (std::size_t c = 0; c < f; ++c) {
    for (std::size_t u = 0; u < n; ++u) {
      for (std::size_t i = 0; i < d; ++i) channel[u * d + i] = x[(u * all + i) * f + c];
    }
    const std::vector<Complex> delta = apply_coboundary(sheaf, channel, 1);
    for (std::size_t i = 0; i < delta.size(); ++i) squares[i / d] += std::norm(delta[i]);
  }
  for (double& square : squares) square = std::sqrt(square);
  return squares;
}

std::vector<std::int64_t> counted(const std::vector<float>& numbers, double from, double to) {
  constexpr std::size_t kBins = 40;
  std::vector<std::int64_t> counts(kBins, 0);
  for (const float number : numbers) {
    const double place = (number - from) / (to - from) * kBins;
    ++counts[std::min(static_cast<std::size_t>(std::max(place, 0.0)), kBins - 1)];
  }
  return counts;
}

}  // namespace

std::optional<LearnedSheaf> learned_sheaf(const Run& run, int split, const Dataset& dataset,
                                          std::size_t num_edges) {
  const bool has_stalks = std::ranges::any_of(
      run.config().parameters(), [](const Parameter& p) { return p.name == "stalk_dim"; });
  if (!has_stalks || dataset.graph.num_edges() == 0) return std::nullopt;
  const auto num_layers = at(run.config().integer("layers"));
  std::vector<std::string> names = {nn::kChargePart, nn::features_of_layer(num_layers - 1)};
  for (std::size_t layer = 1; layer <= num_layers; ++layer) {
    names.push_back(nn::maps_of_layer(layer));
    names.push_back(nn::edge_weights_of_layer(layer));
  }
  const NetworkParts parts = run.parts(split, dataset, names);

  LearnedSheaf result;
  result.split = split;
  if (const auto charge = parts.parts.find(nn::kChargePart); charge != parts.parts.end()) {
    result.charge = charge->second.numbers[0];
  }
  std::size_t last = 0;  // the last layer with its own maps
  for (std::size_t layer = 1; layer <= num_layers; ++layer) {
    const auto maps = parts.parts.find(nn::maps_of_layer(layer));
    if (maps == parts.parts.end()) continue;
    const auto [least, most] = std::ranges::minmax(maps->second.numbers);
    result.from = last == 0 ? least : std::min<double>(result.from, least);
    result.to = last == 0 ? most : std::max<double>(result.to, most);
    last = layer;
  }
  if (last == 0) return std::nullopt;
  if (result.to - result.from < 1e-6) result.from -= 0.5, result.to += 0.5;
  for (std::size_t layer = 1; layer <= last; ++layer) {
    const auto maps = parts.parts.find(nn::maps_of_layer(layer));
    if (maps == parts.parts.end()) continue;
    result.histograms.push_back(
        {static_cast<int>(layer), counted(maps->second.numbers, result.from, result.to)});
  }

  const Sheaf sheaf = sheaf_of(parts, parts.parts.at(nn::maps_of_layer(last)), last);
  const std::vector<double> all =
      disagreements(sheaf, parts.parts.at(nn::features_of_layer(num_layers - 1)));
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater(), [&](std::size_t e) { return all[e]; });
  result.median_disagreement = all[order[order.size() / 2]];
  const std::vector<HalfEdgeId> half_edges = parts.graph.edge_list();
  for (std::size_t i = 0; i < std::min(num_edges, order.size()); ++i) {
    const HalfEdgeId h = half_edges[order[i]];
    const NodeId source = parts.graph.neighbour(parts.graph.reverse(h));
    const NodeId target = parts.graph.neighbour(h);
    const bool is_two_way = parts.graph.has_arc(h) && parts.graph.has_arc(parts.graph.reverse(h));
    result.edges.push_back(
        {parts.nodes[at(source)], parts.nodes[at(target)], is_two_way, all[order[i]]});
  }
  return result;
}

}  // namespace dsnn
