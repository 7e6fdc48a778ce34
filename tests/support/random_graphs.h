#pragma once

#include "dsnn/graph/directed_graph.h"
#include "dsnn/util/random.h"

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace dsnn::testing {

enum class GraphKind { kMixed, kOneWay, kTwoWay, kWeighted, kSigned };

inline const std::vector<GraphKind>& all_graph_kinds() {
  static const std::vector<GraphKind> kinds = {GraphKind::kMixed, GraphKind::kOneWay,
                                               GraphKind::kTwoWay, GraphKind::kWeighted,
                                               GraphKind::kSigned};
  return kinds;
}

/// The arcs of a random graph, unsorted as in user data. Duplicates and self-loops occur in mixed
/// and weighted graphs; isolated nodes in all.
struct RandomArcs {
  NodeId num_nodes = 0;
  std::vector<Arc> arcs;
  std::vector<double> weights;
  DirectedGraph graph() const { return DirectedGraph::from_arcs(num_nodes, arcs, weights); }
};

inline RandomArcs random_arcs(std::uint64_t seed, GraphKind kind, NodeId max_nodes = 14) {
  Random random(seed);
  RandomArcs result;
  result.num_nodes = 1 + static_cast<NodeId>(random.below(static_cast<std::uint64_t>(max_nodes)));
  const std::uint64_t tries = random.below(3 * static_cast<std::uint64_t>(result.num_nodes) + 1);
  const auto node = [&] {
    return static_cast<NodeId>(random.below(static_cast<std::uint64_t>(result.num_nodes)));
  };
  for (std::uint64_t i = 0; i < tries; ++i) {
    NodeId u = node();
    NodeId v = node();
    if (kind == GraphKind::kOneWay && u > v) std::swap(u, v);
    result.arcs.push_back({u, v});
    const bool is_mixed_pair = kind != GraphKind::kOneWay && random.uniform() < 0.3;
    if (kind == GraphKind::kTwoWay || is_mixed_pair) result.arcs.push_back({v, u});
  }
  if (kind == GraphKind::kWeighted || kind == GraphKind::kSigned) {
    for (std::size_t i = 0; i < result.arcs.size(); ++i) {
      const double low = kind == GraphKind::kSigned ? -2 : 0.1;
      // Sometimes integers and halves: equal weights in both directions, and sums that cancel.
      const double weight = random.uniform(low, 2);
      result.weights.push_back(random.uniform() < 0.5 ? weight : (weight < 0 ? -0.5 : 1));
    }
  }
  return result;
}

}  // namespace dsnn::testing
