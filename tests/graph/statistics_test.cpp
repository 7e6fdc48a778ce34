#include "dsnn/graph/statistics.h"

#include "dsnn/util/error.h"

#include "support/dense.h"
#include "support/random_graphs.h"
#include "support/test_files.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

namespace dsnn {
namespace {

using testing::all_graph_kinds;
using testing::random_arcs;
using testing::RandomArcs;

/// reach(u, v): whether a path leads from u to v, by Warshall's algorithm.
using Reach = Eigen::Matrix<bool, Eigen::Dynamic, Eigen::Dynamic>;
Reach reachability(const testing::DenseReal& a) {
  Reach reach = (a.array() != 0).matrix();
  for (Eigen::Index u = 0; u < a.rows(); ++u) reach(u, u) = true;
  for (Eigen::Index k = 0; k < a.rows(); ++k) {
    for (Eigen::Index u = 0; u < a.rows(); ++u) {
      for (Eigen::Index v = 0; v < a.rows(); ++v) reach(u, v) |= reach(u, k) && reach(k, v);
    }
  }
  return reach;
}

/// Classes of "u and v reach each other".
ComponentStatistics components_of(const Reach& reach) {
  ComponentStatistics statistics;
  for (Eigen::Index u = 0; u < reach.rows(); ++u) {
    NodeId size = 0;
    bool is_first = true;
    for (Eigen::Index v = 0; v < reach.rows(); ++v) {
      if (!reach(u, v) || !reach(v, u)) continue;
      is_first &= v >= u;
      ++size;
    }
    statistics.count += is_first ? 1 : 0;
    statistics.largest = std::max(statistics.largest, size);
  }
  return statistics;
}

TEST(Statistics, ComponentsAgreeWithReachability) {
  for (const auto kind : all_graph_kinds()) {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
      const RandomArcs input = random_arcs(seed, kind);
      const DirectedGraph graph = input.graph();
      const testing::DenseReal a = testing::adjacency(input);
      const ComponentStatistics strong = components_of(reachability(a));
      const ComponentStatistics weak =
          components_of(reachability(a.cwiseAbs() + a.transpose().cwiseAbs()));
      EXPECT_EQ(strong_components(graph).count, strong.count) << seed;
      EXPECT_EQ(strong_components(graph).largest, strong.largest) << seed;
      EXPECT_EQ(weak_components(graph).count, weak.count) << seed;
      EXPECT_EQ(weak_components(graph).largest, weak.largest) << seed;
    }
  }
}

TEST(Statistics, StrongComponentsOfALongPathNeedNoLongStack) {
  std::vector<Arc> arcs;
  constexpr NodeId kLength = 1'000'000;
  for (NodeId u = 0; u + 1 < kLength; ++u) arcs.push_back({u, u + 1});
  EXPECT_EQ(strong_components(DirectedGraph::from_arcs(kLength, arcs)).count, kLength);
  arcs.push_back({kLength - 1, 0});
  EXPECT_EQ(strong_components(DirectedGraph::from_arcs(kLength, arcs)).count, 1);
}

TEST(Statistics, DegreesAndReciprocity) {
  // 0 -> 1, 1 <-> 2, node 3 isolated
  const std::vector<Arc> arcs = {{0, 1}, {1, 2}, {2, 1}};
  const DirectedGraph graph = DirectedGraph::from_arcs(4, arcs);
  const DegreeStatistics degrees = degree_statistics(graph);
  EXPECT_EQ(degrees.total.max, 2);
  EXPECT_EQ(degrees.total.min, 0);
  EXPECT_DOUBLE_EQ(degrees.total.mean, 1.0);
  EXPECT_EQ(degrees.out.max, 1);
  EXPECT_EQ(degrees.in.max, 2);
  EXPECT_DOUBLE_EQ(degrees.in.mean, 0.75);
  EXPECT_EQ(degrees.num_isolated, 1);
  EXPECT_EQ(num_two_way_edges(graph), 1);
  EXPECT_DOUBLE_EQ(reciprocity(graph), 2.0 / 3);
  EXPECT_TRUE(std::isnan(reciprocity(DirectedGraph())));
}

/// The definitions, over the matrix of all pairs.
Homophily homophily_oracle(const testing::DenseReal& a, const std::vector<std::int64_t>& labels,
                           std::int64_t num_classes) {
  const auto n = static_cast<std::size_t>(a.rows());
  const auto joined = [&](std::size_t u, std::size_t v) {
    const auto i = static_cast<Eigen::Index>(u);
    const auto j = static_cast<Eigen::Index>(v);
    return (a(i, j) != 0 || a(j, i) != 0) && labels[u] >= 0 && labels[v] >= 0;
  };
  double same_edges = 0, edges = 0, node_sum = 0, nodes = 0, known = 0;
  std::map<std::int64_t, double> same_of, degree_of, size_of;
  std::map<std::pair<std::int64_t, std::int64_t>, double> joint;
  for (std::size_t u = 0; u < n; ++u) {
    if (labels[u] < 0) continue;
    known += 1;
    size_of[labels[u]] += 1;
    double same = 0, degree = 0;
    for (std::size_t v = 0; v < n; ++v) {
      if (!joined(u, v)) continue;
      degree += 1;
      same += labels[u] == labels[v] ? 1 : 0;
      joint[{labels[u], labels[v]}] += 1;
    }
    same_of[labels[u]] += same;
    degree_of[labels[u]] += degree;
    edges += degree;
    same_edges += same;
    if (degree > 0) {
      node_sum += same / degree;
      nodes += 1;
    }
  }
  Homophily h{};
  h.edge = same_edges / edges;
  h.node = node_sum / nodes;
  double mutual = 0, entropy = 0, squares = 0;
  for (std::int64_t k = 0; k < num_classes; ++k) {
    if (degree_of[k] > 0) {
      h.class_insensitive += std::max(0.0, same_of[k] / degree_of[k] - size_of[k] / known);
      const double p = degree_of[k] / edges;
      entropy -= p * std::log(p);
      squares += p * p;
    }
  }
  for (const auto& [classes, count] : joint) {
    const double p = count / edges;
    mutual +=
        p * std::log(p * edges * edges / (degree_of[classes.first] * degree_of[classes.second]));
  }
  h.class_insensitive /= static_cast<double>(num_classes - 1);
  h.adjusted = (h.edge - squares) / (1 - squares);
  h.label_informativeness = mutual / entropy;
  return h;
}

TEST(Statistics, HomophilyAgreesWithTheDefinitions) {
  int num_compared = 0;
  for (const auto kind : all_graph_kinds()) {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
      SCOPED_TRACE(seed);
      const RandomArcs input = random_arcs(seed, kind);
      const DirectedGraph graph = input.graph();
      Random random(seed);
      std::vector<std::int64_t> labels;
      for (NodeId u = 0; u < input.num_nodes; ++u) {
        labels.push_back(static_cast<std::int64_t>(random.below(4)) - 1);  // -1: unknown
      }
      const Homophily got = homophily(graph, labels, 3);
      const Homophily expected = homophily_oracle(testing::adjacency(input), labels, 3);
      const auto compare = [&](double a, double b) {
        if (std::isfinite(b)) {
          EXPECT_NEAR(a, b, 1e-9);
          ++num_compared;
        }
      };
      compare(got.edge, expected.edge);
      compare(got.node, expected.node);
      if (!std::isnan(expected.edge)) compare(got.class_insensitive, expected.class_insensitive);
      compare(got.adjusted, expected.adjusted);
      compare(got.label_informativeness, expected.label_informativeness);
    }
  }
  EXPECT_GT(num_compared, 1000);
}

TEST(Statistics, HomophilyOfKnownGraphs) {
  // A cycle of four nodes: all alike, then alternating.
  const std::vector<Arc> arcs = {{0, 1}, {1, 2}, {2, 3}, {3, 0}};
  const DirectedGraph cycle = DirectedGraph::from_arcs(4, arcs);
  const std::vector<std::int64_t> alternating = {0, 1, 0, 1};
  const Homophily opposite = homophily(cycle, alternating, 2);
  EXPECT_EQ(opposite.edge, 0);
  EXPECT_EQ(opposite.node, 0);
  EXPECT_EQ(opposite.class_insensitive, 0);
  EXPECT_DOUBLE_EQ(opposite.adjusted, -1);
  EXPECT_DOUBLE_EQ(opposite.label_informativeness,
                   1);  // the label of a neighbour determines the own label
  const std::vector<std::int64_t> alike = {0, 0, 0, 0};
  EXPECT_EQ(homophily(cycle, alike, 1).edge, 1);
  EXPECT_TRUE(std::isnan(homophily(cycle, alike, 1).label_informativeness));
  EXPECT_TRUE(std::isnan(homophily(DirectedGraph::from_arcs(4, {}), alike, 1).edge));
}

TEST(Statistics, HomophilyRefusesLabelsThatDoNotFit) {
  const DirectedGraph graph = DirectedGraph::from_arcs(2, {});
  const std::vector<std::int64_t> labels = {0, 5};
  EXPECT_TRUE(testing::contains(testing::message_of<Error>([&] { homophily(graph, labels, 2); }),
                                "node 1 has label 5"));
  EXPECT_TRUE(testing::contains(testing::message_of<Error>([&] { homophily(graph, {}, 2); }),
                                "0 labels for 2 nodes"));
  EXPECT_TRUE(
      testing::contains(testing::message_of<Error>([&] { homophily(graph, labels, 1 << 20); }),
                        "1048576 classes, expected at most 4096"));
}

}  // namespace
}  // namespace dsnn
