#include "data/reorder.h"

#include "support/random_graphs.h"
#include "util/index.h"

#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <vector>

namespace dsnn {
namespace {

std::vector<NodeId> random_order(NodeId n, Random& random) {
  std::vector<NodeId> order(at(n));
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  return order;
}

Features random_features(NodeId n, bool is_sparse, Random& random) {
  std::vector<float> values;
  for (NodeId i = 0; i < 5 * n; ++i) {
    values.push_back(random.below(2) == 0 ? 0 : static_cast<float>(random.uniform()));
  }
  const Features features = Features::dense(n, 5, values);
  return is_sparse ? features.to_sparse() : features;
}

/// All values of a graph.
auto graph_numbers(const DirectedGraph& graph) {
  std::vector<std::array<double, 3>> numbers;
  const std::vector<NodeId> owners = graph.owners();
  for (HalfEdgeId h = 0; h < graph.num_half_edges(); ++h) {
    numbers.push_back({static_cast<double>(owners[at(h)]), static_cast<double>(graph.neighbour(h)),
                       graph.arc_weight(h)});
  }
  return numbers;
}

TEST(Reordered, GivesEachNodeWhatItHad) {
  for (const auto kind : testing::all_graph_kinds()) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      Random random(seed);
      const DirectedGraph graph = testing::random_arcs(seed, kind).graph();
      const Features before = random_features(graph.num_nodes(), seed % 2 == 0, random);
      const std::vector<NodeId> order = random_order(graph.num_nodes(), random);
      const DirectedGraph moved = reordered(graph, order);
      const Features after = reordered(before, order);
      EXPECT_EQ(after.is_sparse(), before.is_sparse());
      const Features from = before.to_dense(), to = after.to_dense();
      for (std::size_t i = 0; i < order.size(); ++i) {
        const auto u = at(order[i]);
        for (std::size_t c = 0; c < 5; ++c) EXPECT_EQ(to.values[5 * i + c], from.values[5 * u + c]);
      }
      // The inverse order gives the same graph; so the arcs were correct.
      std::vector<NodeId> back(order.size());
      for (std::size_t i = 0; i < order.size(); ++i) back[at(order[i])] = static_cast<NodeId>(i);
      EXPECT_EQ(graph_numbers(reordered(moved, back)), graph_numbers(graph));
      EXPECT_EQ(reordered(after, back), before);
      for (const Arc arc : moved.arcs()) {
        const NodeId u = order[at(arc.source)], v = order[at(arc.target)];
        bool is_there = false;
        for (HalfEdgeId h = graph.row_begin(u); h < graph.row_end(u); ++h) {
          is_there = is_there || (graph.neighbour(h) == v && graph.has_arc(h));
        }
        EXPECT_TRUE(is_there) << u << " -> " << v;
      }
    }
  }
}

TEST(Reordered, NoFeaturesStayNone) { EXPECT_TRUE(reordered(Features(), {2, 0, 1}).empty()); }

}  // namespace
}  // namespace dsnn
