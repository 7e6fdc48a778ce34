#include "data/reorder.h"

#include "support/random_graphs.h"
#include "util/index.h"

#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <string>

namespace dsnn {
namespace {

std::vector<NodeId> random_order(NodeId n, Random& random) {
  std::vector<NodeId> order(at(n));
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  return order;
}

/// A dataset that has everything.
Dataset random_dataset(const DirectedGraph& graph, bool is_sparse, Random& random) {
  const NodeId n = graph.num_nodes();
  Dataset dataset;
  dataset.name = "random";
  dataset.graph = graph;
  dataset.num_classes = 3;
  dataset.label_names = {"a", "b", "c"};
  std::vector<float> values;
  Split split;
  for (NodeId u = 0; u < n; ++u) {
    dataset.labels.push_back(static_cast<std::int64_t>(random.below(4)) - 1);
    dataset.node_ids.push_back("node " + std::to_string(u));
    for (auto* mask : {&split.train, &split.validation, &split.test}) {
      mask->push_back(random.below(2) == 0 ? 0 : 1);
    }
    for (int c = 0; c < 5; ++c) {
      values.push_back(random.below(2) == 0 ? 0 : static_cast<float>(random.uniform()));
    }
  }
  dataset.splits = {split, {split.test, split.train, split.validation}};
  dataset.features = Features::dense(n, 5, values);
  if (is_sparse) dataset.features = dataset.features.to_sparse();
  return dataset;
}

/// Every number of a graph.
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
      const Dataset before = random_dataset(graph, seed % 2 == 0, random);
      const std::vector<NodeId> order = random_order(graph.num_nodes(), random);
      const Dataset after = reordered(before, order);
      EXPECT_EQ(after.features.is_sparse(), before.features.is_sparse());
      const Features from = before.features.to_dense(), to = after.features.to_dense();
      for (std::size_t i = 0; i < order.size(); ++i) {
        const auto u = at(order[i]);
        EXPECT_EQ(after.labels[i], before.labels[u]);
        EXPECT_EQ(after.node_ids[i], before.node_ids[u]);
        for (std::size_t c = 0; c < 5; ++c) EXPECT_EQ(to.values[5 * i + c], from.values[5 * u + c]);
        for (const std::size_t s : {0, 1}) {
          EXPECT_EQ(after.splits[s].train[i], before.splits[s].train[u]);
          EXPECT_EQ(after.splits[s].validation[i], before.splits[s].validation[u]);
          EXPECT_EQ(after.splits[s].test[i], before.splits[s].test[u]);
        }
      }
      // The way back leads to the same graph; so the arcs were right.
      std::vector<NodeId> back(order.size());
      for (std::size_t i = 0; i < order.size(); ++i) back[at(order[i])] = static_cast<NodeId>(i);
      EXPECT_EQ(graph_numbers(reordered(after, back).graph), graph_numbers(graph));
      EXPECT_EQ(reordered(after, back).features, before.features);
      for (const Arc arc : after.graph.arcs()) {
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

TEST(Reordered, LeavesOutWhatIsNotKnown) {
  Dataset dataset;
  dataset.graph = DirectedGraph::from_arcs(3, std::vector<Arc>{{0, 1}, {1, 2}});
  const Dataset after = reordered(dataset, {2, 0, 1});
  EXPECT_TRUE(after.labels.empty() && after.splits.empty() && after.features.empty());
  EXPECT_EQ(after.graph.num_arcs(), 2);
}

}  // namespace
}  // namespace dsnn
