#include "dsnn/data/link_heuristics.h"

#include "dsnn/util/random.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace dsnn {
namespace {

// Against sums over a dense adjacency matrix.
TEST(LinkHeuristics, AreThoseOfTheirDefinitions) {
  Random random(4);
  for (int trial = 0; trial < 20; ++trial) {
    constexpr NodeId kNodes = 15;
    std::vector<std::vector<int>> a(kNodes, std::vector<int>(kNodes, 0));
    std::vector<Arc> arcs;
    for (int i = 0; i < 50; ++i) {
      const auto u = static_cast<NodeId>(random.below(kNodes));
      const auto v = static_cast<NodeId>(random.below(kNodes));
      if (u != v) a[u][v] = 1, arcs.push_back({u, v});
    }
    const auto graph = DirectedGraph::from_arcs(kNodes, arcs);
    for (NodeId u = 0; u < kNodes; ++u) {
      for (NodeId v = 0; v < kNodes; ++v) {
        if (u == v) continue;
        double common = 0, adamic = 0, out = 0, in = 0;
        for (NodeId w = 0; w < kNodes; ++w) {
          out += a[u][w], in += a[w][v];
          if (a[u][w] * a[w][v] == 0) continue;
          double degree = 0;
          for (NodeId x = 0; x < kNodes; ++x) degree += a[w][x] + a[x][w] > 0 ? 1 : 0;
          common += 1;
          adamic += 1 / std::log(degree);
        }
        const auto score = [&](LinkHeuristic kind) { return heuristic_score(graph, kind, {u, v}); };
        EXPECT_EQ(score(LinkHeuristic::kCommonNeighbours), common);
        EXPECT_NEAR(score(LinkHeuristic::kAdamicAdar), adamic, 1e-12);
        EXPECT_EQ(score(LinkHeuristic::kPreferentialAttachment), out * in);
      }
    }
  }
}

}  // namespace
}  // namespace dsnn
