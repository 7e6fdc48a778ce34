#include "dsnn/graph/directed_graph.h"

#include "dsnn/util/error.h"

#include "support/dense.h"
#include "support/random_graphs.h"
#include "support/test_files.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

namespace dsnn {
namespace {

using testing::all_graph_kinds;
using testing::contains;
using testing::message_of;
using testing::random_arcs;
using testing::RandomArcs;

TEST(DirectedGraph, NumbersHalfEdgesByOwnerAndNeighbour) {
  // 0 -> 1, 1 <-> 2, 2 -> 0
  const std::vector<Arc> arcs = {{2, 1}, {0, 1}, {1, 2}, {2, 0}};
  const DirectedGraph graph = DirectedGraph::from_arcs(4, arcs);
  EXPECT_EQ(graph.num_nodes(), 4);
  EXPECT_EQ(graph.num_arcs(), 4);
  EXPECT_EQ(graph.num_edges(), 3);
  EXPECT_EQ(std::vector<HalfEdgeId>(graph.row_offsets().begin(), graph.row_offsets().end()),
            (std::vector<HalfEdgeId>{0, 2, 4, 6, 6}));
  EXPECT_EQ(std::vector<NodeId>(graph.neighbours().begin(), graph.neighbours().end()),
            (std::vector<NodeId>{1, 2, 0, 2, 0, 1}));
  EXPECT_EQ(std::vector<int>(graph.orientations().begin(), graph.orientations().end()),
            (std::vector<int>{1, -1, -1, 0, 1, 0}));
  EXPECT_EQ(graph.owners(), (std::vector<NodeId>{0, 0, 1, 1, 2, 2}));
  EXPECT_EQ(graph.reverse(0), 2);
  EXPECT_EQ(graph.reverse(1), 4);
  EXPECT_EQ(graph.reverse(3), 5);
  // {0,1}: the tail 0's; {0,2}: the tail 2's; {1,2}: two-way, the smaller endpoint's.
  EXPECT_EQ(graph.edge_list(), (std::vector<HalfEdgeId>{0, 4, 3}));
}

TEST(DirectedGraph, AgreesWithTheAdjacencyMatrixOnRandomGraphs) {
  for (const auto kind : all_graph_kinds()) {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
      SCOPED_TRACE(::testing::Message() << "kind " << static_cast<int>(kind) << " seed " << seed);
      const RandomArcs input = random_arcs(seed, kind);
      const DirectedGraph graph = input.graph();
      const testing::DenseReal a = testing::adjacency(input);
      HalfEdgeId h = 0;
      HalfEdgeId num_arcs = 0;
      for (NodeId u = 0; u < input.num_nodes; ++u) {
        NodeId out = 0;
        NodeId in = 0;
        ASSERT_EQ(graph.row_begin(u), h);
        for (NodeId v = 0; v < input.num_nodes; ++v) {
          const double uv = a(u, v);
          const double vu = a(v, u);
          if (uv == 0 && vu == 0) continue;
          ASSERT_EQ(graph.neighbour(h), v);
          ASSERT_EQ(graph.neighbour(graph.reverse(h)), u);
          ASSERT_EQ(graph.reverse(graph.reverse(h)), h);
          ASSERT_EQ(graph.orientation(h),
                    static_cast<int>(testing::sign_of(std::abs(uv) - std::abs(vu))));
          ASSERT_EQ(graph.orientation(graph.reverse(h)), -graph.orientation(h));
          ASSERT_EQ(graph.arc_weight(h), uv);
          ASSERT_EQ(graph.has_arc(h), uv != 0);
          const double mean = (uv + vu) / static_cast<double>((uv != 0) + (vu != 0));
          ASSERT_NEAR(graph.edge_weight(h), mean, 1e-15);
          ASSERT_EQ(graph.edge_weight(graph.reverse(h)), graph.edge_weight(h));
          out += uv != 0 ? 1 : 0;
          in += vu != 0 ? 1 : 0;
          ++h;
        }
        ASSERT_EQ(graph.row_end(u), h);
        ASSERT_EQ(graph.out_degree(u), out);
        ASSERT_EQ(graph.in_degree(u), in);
        num_arcs += out;
      }
      ASSERT_EQ(graph.num_half_edges(), h);
      ASSERT_EQ(graph.num_arcs(), num_arcs);
    }
  }
}

TEST(DirectedGraph, EdgeListHasEveryEdgeOnceFromItsTail) {
  for (const auto kind : all_graph_kinds()) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      const DirectedGraph graph = random_arcs(seed, kind).graph();
      const std::vector<NodeId> owners = graph.owners();
      std::vector<std::pair<NodeId, NodeId>> pairs;
      for (const HalfEdgeId h : graph.edge_list()) {
        const NodeId u = owners[static_cast<std::size_t>(h)];
        const NodeId v = graph.neighbour(h);
        EXPECT_TRUE(graph.orientation(h) > 0 || (graph.orientation(h) == 0 && u < v));
        pairs.emplace_back(std::min(u, v), std::max(u, v));
      }
      EXPECT_EQ(static_cast<HalfEdgeId>(pairs.size()), graph.num_edges());
      EXPECT_TRUE(std::is_sorted(pairs.begin(), pairs.end()));
      EXPECT_EQ(std::set(pairs.begin(), pairs.end()).size(), pairs.size());
    }
  }
}

TEST(DirectedGraph, ArcsRebuildTheSameGraph) {
  for (const auto kind : all_graph_kinds()) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      const DirectedGraph graph = random_arcs(seed, kind).graph();
      const DirectedGraph again =
          DirectedGraph::from_arcs(graph.num_nodes(), graph.arcs(), graph.arc_weights());
      ASSERT_EQ(again.num_half_edges(), graph.num_half_edges());
      for (HalfEdgeId h = 0; h < graph.num_half_edges(); ++h) {
        ASSERT_EQ(again.neighbour(h), graph.neighbour(h));
        ASSERT_EQ(again.arc_weight(h), graph.arc_weight(h));
      }
    }
  }
}

TEST(DirectedGraph, ReversedAndSymmetrisedAreTheTransposeAndTheMean) {
  for (const auto kind : all_graph_kinds()) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      const DirectedGraph graph = random_arcs(seed, kind).graph();
      const DirectedGraph reversed = graph.reversed();
      ASSERT_EQ(reversed.num_half_edges(), graph.num_half_edges());
      for (HalfEdgeId h = 0; h < graph.num_half_edges(); ++h) {
        ASSERT_EQ(reversed.neighbour(h), graph.neighbour(h));
        ASSERT_EQ(reversed.arc_weight(h), graph.arc_weight(graph.reverse(h)));
      }
      const DirectedGraph undirected = graph.symmetrised();
      for (HalfEdgeId h = 0; h < undirected.num_half_edges(); ++h) {
        ASSERT_EQ(undirected.orientation(h), 0);
        ASSERT_EQ(undirected.arc_weight(h), undirected.arc_weight(undirected.reverse(h)));
      }
    }
  }
}

TEST(DirectedGraph, DropsSelfLoopsAndMergesDuplicates) {
  const std::vector<Arc> arcs = {{0, 0}, {0, 1}, {0, 1}, {1, 1}};
  const DirectedGraph plain = DirectedGraph::from_arcs(2, arcs);
  EXPECT_EQ(plain.num_arcs(), 1);
  EXPECT_EQ(plain.arc_weight(0), 1);
  const std::vector<double> weights = {9, 0.5, 0.25, 9};
  const DirectedGraph weighted = DirectedGraph::from_arcs(2, arcs, weights);
  EXPECT_EQ(weighted.num_arcs(), 1);
  EXPECT_EQ(weighted.arc_weight(0), 0.75);
  EXPECT_EQ(weighted.edge_weight(1), 0.75);
}

TEST(DirectedGraph, AnArcOfWeightZeroIsNoArc) {
  const std::vector<Arc> arcs = {{0, 1}, {1, 2}, {1, 2}, {2, 1}};
  const std::vector<double> weights = {0, 1.5, -1.5, 2};
  const DirectedGraph graph = DirectedGraph::from_arcs(3, arcs, weights);
  EXPECT_EQ(graph.num_arcs(), 1);
  EXPECT_EQ(graph.degree(0), 0);
  EXPECT_EQ(graph.orientation(graph.row_begin(1)), -1);
}

TEST(DirectedGraph, CountsWhatItLeavesOut) {
  const std::vector<Arc> arcs = {{0, 0}, {0, 1}, {0, 1}, {1, 2}, {1, 2}, {2, 1}, {0, 2}};
  const DirectedGraph plain = DirectedGraph::from_arcs(3, arcs);
  EXPECT_EQ(plain.dropped().self_loops, 1);
  EXPECT_EQ(plain.dropped().duplicates, 2);
  EXPECT_EQ(plain.dropped().zero_weight, 0);
  const std::vector<double> weights = {1, 1, 1, 2, -2, 5, 0};
  const DirectedGraph weighted = DirectedGraph::from_arcs(3, arcs, weights);
  EXPECT_EQ(weighted.dropped().self_loops, 1);
  EXPECT_EQ(weighted.dropped().duplicates, 2);
  EXPECT_EQ(weighted.dropped().zero_weight, 2);  // 1 -> 2, which cancels, and 0 -> 2
  EXPECT_EQ(weighted.num_arcs(), 2);
}

TEST(DirectedGraph, OrientationComparesTheSizesOfWeights) {
  const std::vector<Arc> arcs = {{0, 1}, {1, 0}};
  const auto orientation = [&](double there, double back) {
    const std::vector<double> weights = {there, back};
    return DirectedGraph::from_arcs(2, arcs, weights).orientation(0);
  };
  EXPECT_EQ(orientation(2, 1), 1);
  EXPECT_EQ(orientation(1, -2), -1);
  EXPECT_EQ(orientation(-3, 3), 0);
}

TEST(DirectedGraph, WorksWithoutNodesOrArcs) {
  EXPECT_EQ(DirectedGraph().num_nodes(), 0);
  const DirectedGraph empty = DirectedGraph::from_arcs(0, {});
  EXPECT_EQ(empty.num_nodes(), 0);
  EXPECT_EQ(empty.num_edges(), 0);
  const DirectedGraph isolated = DirectedGraph::from_arcs(3, {});
  EXPECT_EQ(isolated.num_nodes(), 3);
  EXPECT_TRUE(isolated.edge_list().empty());
}

TEST(DirectedGraph, RefusesWhatDoesNotFit) {
  const auto error_of = [](NodeId n, std::vector<Arc> arcs, std::vector<double> weights = {}) {
    return message_of<Error>([&] { DirectedGraph::from_arcs(n, arcs, weights); });
  };
  EXPECT_TRUE(contains(error_of(2, {{0, 1}, {1, 2}}), "arc 1 has node 2, expected 0 to 1"));
  EXPECT_TRUE(contains(error_of(2, {{-1, 0}}), "arc 0 has node -1"));
  EXPECT_TRUE(contains(error_of(-1, {}), "number of nodes is -1"));
  EXPECT_TRUE(contains(error_of(2, {{0, 1}}, {1, 2}), "2 weights for 1 arcs"));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(contains(error_of(2, {{0, 1}}, {nan}), "weight of arc 0 (0 -> 1) is nan"));
  const double huge = std::numeric_limits<double>::max();
  EXPECT_TRUE(contains(error_of(2, {{0, 1}, {0, 1}}, {huge, huge}),
                       "the sum of the weights of duplicate arcs overflows"));
}

// Half-edges are counted in 64 bits; graph_bench --huge builds a graph with more than 2^31 of them.
static_assert(sizeof(HalfEdgeId) == 8 && sizeof(DirectedGraph().row_offsets()[0]) == 8);

}  // namespace
}  // namespace dsnn
