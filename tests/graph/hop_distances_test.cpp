#include "graph/hop_distances.h"

#include "dsnn/util/error.h"

#include "support/random_graphs.h"
#include "support/test_files.h"

#include <gtest/gtest.h>

#include <numeric>

namespace dsnn {
namespace {

/// All distances [n, n] by Floyd and Warshall.
std::vector<NodeId> plain_distances(const testing::RandomArcs& input, const DirectedGraph& graph) {
  const auto n = static_cast<std::size_t>(input.num_nodes);
  const NodeId far = 2 * input.num_nodes;
  std::vector<NodeId> d(n * n, far);
  for (std::size_t u = 0; u < n; ++u) d[u * n + u] = 0;
  for (const Arc arc : graph.arcs()) {  // without those whose weights cancel
    if (arc.source == arc.target) continue;
    const auto u = static_cast<std::size_t>(arc.source);
    const auto v = static_cast<std::size_t>(arc.target);
    d[u * n + v] = d[v * n + u] = 1;
  }
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t u = 0; u < n; ++u) {
      for (std::size_t v = 0; v < n; ++v) {
        d[u * n + v] = std::min(d[u * n + v], d[u * n + k] + d[k * n + v]);
      }
    }
  }
  for (NodeId& distance : d) distance = distance >= far ? kNoPath : distance;
  return d;
}

TEST(HopDistances, AgreeWithFloydAndWarshall) {
  for (const auto kind : testing::all_graph_kinds()) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      const testing::RandomArcs input = testing::random_arcs(seed, kind, 64);
      const DirectedGraph graph = input.graph();
      std::vector<NodeId> sources(static_cast<std::size_t>(input.num_nodes));
      std::iota(sources.begin(), sources.end(), 0);
      EXPECT_EQ(hop_distances(graph, sources), plain_distances(input, graph)) << seed;
    }
  }
}

TEST(HopDistances, SourcesAreColumnsAndMayRepeat) {
  const std::vector<Arc> arcs = {{0, 1}, {2, 1}};  // and node 3
  const std::vector<NodeId> sources = {2, 0, 2};
  const DirectedGraph graph = DirectedGraph::from_arcs(4, arcs);
  EXPECT_EQ(hop_distances(graph, sources),
            (std::vector<NodeId>{2, 0, 2, 1, 1, 1, 0, 2, 0, kNoPath, kNoPath, kNoPath}));
  EXPECT_TRUE(hop_distances(graph, {}).empty());
  EXPECT_TRUE(hop_distances(DirectedGraph(), {}).empty());
}

TEST(HopDistances, TooManySources) {
  const DirectedGraph graph = DirectedGraph::from_arcs(1, {});
  EXPECT_EQ(testing::message_of<Error>([&] { hop_distances(graph, std::vector<NodeId>(65, 0)); }),
            "hop distances: 65 sources, expected at most 64");
}

}  // namespace
}  // namespace dsnn
