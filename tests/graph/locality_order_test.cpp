#include "graph/locality_order.h"

#include "support/random_graphs.h"
#include "util/index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace dsnn {
namespace {

std::vector<NodeId> numbers_to(NodeId n) {
  std::vector<NodeId> numbers(at(n));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

/// The largest distance of two neighbours in the order.
NodeId bandwidth(const DirectedGraph& graph, const std::vector<NodeId>& order) {
  std::vector<NodeId> places(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) places[at(order[i])] = static_cast<NodeId>(i);
  NodeId farthest = 0;
  for (const Arc arc : graph.arcs()) {
    farthest = std::max(farthest, std::abs(places[at(arc.source)] - places[at(arc.target)]));
  }
  return farthest;
}

TEST(LocalityOrder, HasEachNodeOnce) {
  for (const auto kind : testing::all_graph_kinds()) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      const DirectedGraph graph = testing::random_arcs(seed, kind).graph();
      std::vector<NodeId> order = locality_order(graph);
      std::ranges::sort(order);
      EXPECT_EQ(order, numbers_to(graph.num_nodes()));
    }
  }
  EXPECT_TRUE(locality_order(DirectedGraph()).empty());
}

// A torus whose nodes are numbered at random: rows of a search front are consecutive.
TEST(LocalityOrder, BringsNeighboursTogether) {
  const NodeId side = 30, n = side * side;
  std::vector<NodeId> names = numbers_to(n);
  Random random(1);
  for (std::size_t i = names.size(); i > 1; --i) std::swap(names[i - 1], names[random.below(i)]);
  std::vector<Arc> arcs;
  for (NodeId u = 0; u < n; ++u) {
    const NodeId row = u / side, column = u % side;
    arcs.push_back({names[at(u)], names[at(row * side + (column + 1) % side)]});
    arcs.push_back({names[at(u)], names[at((row + 1) % side * side + column)]});
  }
  const DirectedGraph graph = DirectedGraph::from_arcs(n, arcs);
  EXPECT_GT(bandwidth(graph, numbers_to(n)), n / 2);
  EXPECT_LE(bandwidth(graph, locality_order(graph)), 4 * side);
}

}  // namespace
}  // namespace dsnn
