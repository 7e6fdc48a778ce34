#include "dsnn/data/dataset.h"
#include "dsnn/data/splits.h"
#include "dsnn/graph/statistics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>
#include <set>

// The published graphs, if available ($DSNN_DATA), against a table that was made with other tools.

namespace dsnn {
namespace {

using Range = std::array<std::int64_t, 2>;

struct Expected {
  const char* name;
  NodeId nodes;
  HalfEdgeId arcs, edges;
  double reciprocal;  // per cent of the edges
  std::int64_t classes, features;
  double nonzeros;  // per cent
  double homophily;
  NodeId isolated;
  Range train, validation, test;
};

// clang-format off
constexpr Expected kTable[] = {
    {"texas", 183, 309, 279, 10.8, 5, 1703, 4.90, 0.0609, 0, {87, 87}, {59, 59}, {37, 37}},
    {"wisconsin", 251, 499, 450, 10.9, 5, 1703, 5.63, 0.1778, 0, {120, 120}, {80, 80}, {51, 51}},
    {"film", 7600, 29926, 26659, 12.3, 5, 932, 0.58, 0.2167, 0, {3648, 3648}, {2432, 2432}, {1520, 1520}},
    {"squirrel_filtered", 2223, 46998, 46998, 0.0, 5, 2089, 0.70, 0.2072, 0, {1047, 1085}, {691, 739}, {416, 483}},
    {"chameleon_filtered", 890, 8854, 8854, 0.0, 5, 2325, 0.48, 0.2361, 0, {409, 440}, {268, 310}, {159, 194}},
    {"cornell", 183, 295, 277, 6.5, 5, 1703, 4.90, 0.2960, 0, {87, 87}, {59, 59}, {37, 37}},
    {"citeseer", 3312, 4591, 4536, 1.2, 6, 3703, 0.86, 0.7377, 48, {1590, 1590}, {1061, 1061}, {661, 661}},
    {"pubmed", 19717, 44335, 44324, 0.0, 3, 500, 10.02, 0.8024, 0, {9463, 9463}, {6310, 6310}, {3944, 3944}},
    {"cora", 2708, 5429, 5278, 2.9, 7, 1433, 1.27, 0.8100, 0, {1192, 1192}, {796, 796}, {497, 497}},
    {"cornell_corrected", 183, 295, 277, 6.5, 5, 1703, 5.53, 0.1227, 0, {87, 87}, {59, 59}, {37, 37}},
    {"citeseer_official_split", 3312, 4591, 4536, 1.2, 6, 3703, 0.86, 0.7377, 48, {1009, 1591}, {674, 1065}, {423, 665}},
    {"citeseer_repo_split", 3312, 4591, 4536, 1.2, 6, 3703, 0.86, 0.7377, 48, {1569, 1569}, {1060, 1060}, {662, 662}},
    {"cora_repo_order", 2708, 5429, 5278, 2.9, 7, 1433, 1.27, 0.8100, 0, {1192, 1192}, {796, 796}, {497, 497}},
    {"squirrel_filtered_directed", 2223, 65578, 46998, 39.5, 5, 2089, 0.70, 0.2072, 0, {1047, 1085}, {691, 739}, {416, 483}},
    {"chameleon_filtered_directed", 890, 13534, 8854, 52.9, 5, 2325, 0.48, 0.2361, 0, {409, 440}, {268, 310}, {159, 194}},
    {"minesweeper", 10000, 39402, 39402, 0.0, 2, 7, 14.29, 0.6828, 0, {5000, 5000}, {2500, 2500}, {2500, 2500}},
    {"tolokers", 11758, 519000, 519000, 0.0, 2, 10, 51.97, 0.5945, 0, {5879, 5879}, {2939, 2939}, {2940, 2940}},
    {"telegram", 245, 8912, 8126, 9.7, 4, 1, 100.00, 0.2819, 0, {146, 146}, {47, 47}, {52, 52}},
    {"cora_ml", 2995, 8416, 8158, 3.2, 7, 2879, 1.75, 0.7886, 0, {140, 140}, {500, 500}, {2355, 2355}},
    {"citeseer_full", 4230, 5358, 5337, 0.4, 6, 602, 0.76, 0.9494, 0, {2030, 2030}, {1354, 1354}, {846, 846}},
};
// clang-format on

class BenchmarkGraphs : public ::testing::TestWithParam<Expected> {};

Range sizes(const Dataset& dataset, std::vector<std::uint8_t> Split::*mask) {
  std::set<std::int64_t> found;
  for (const Split& split : dataset.splits) {
    found.insert(std::accumulate((split.*mask).begin(), (split.*mask).end(), std::int64_t{0}));
  }
  return {*found.begin(), *found.rbegin()};
}

TEST_P(BenchmarkGraphs, MatchTheirTable) {
  if (std::getenv("DSNN_DATA") == nullptr) GTEST_SKIP() << "DSNN_DATA is not set";
  const Expected& expected = GetParam();
  const Dataset dataset = read_dataset(find_dataset(expected.name));
  const DirectedGraph& graph = dataset.graph;
  EXPECT_EQ(dataset.name, expected.name);
  EXPECT_EQ(graph.num_nodes(), expected.nodes);
  EXPECT_EQ(graph.num_arcs(), expected.arcs);
  EXPECT_EQ(graph.num_edges(), expected.edges);
  EXPECT_EQ(graph.dropped().self_loops + graph.dropped().duplicates, 0);
  const double reciprocal =
      static_cast<double>(num_two_way_edges(graph)) / static_cast<double>(graph.num_edges());
  EXPECT_NEAR(100 * reciprocal, expected.reciprocal, 0.0501);
  EXPECT_EQ(dataset.num_classes, expected.classes);
  EXPECT_EQ(dataset.features.num_columns, expected.features);
  EXPECT_NEAR(100 * dataset.features.density(), expected.nonzeros, 0.00501);
  EXPECT_NEAR(homophily(graph, dataset.labels, dataset.num_classes).edge, expected.homophily,
              0.0000501);
  EXPECT_EQ(degree_statistics(graph).num_isolated, expected.isolated);
  ASSERT_EQ(dataset.splits.size(), 10u);
  EXPECT_EQ(sizes(dataset, &Split::train), expected.train);
  EXPECT_EQ(sizes(dataset, &Split::validation), expected.validation);
  EXPECT_EQ(sizes(dataset, &Split::test), expected.test);
  for (const SplitProblem& problem : check_splits(dataset)) {
    EXPECT_FALSE(problem.is_error) << problem.text;
  }
  EXPECT_TRUE(dataset.notes.empty());
}

INSTANTIATE_TEST_SUITE_P(Published, BenchmarkGraphs, ::testing::ValuesIn(kTable),
                         [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace dsnn
