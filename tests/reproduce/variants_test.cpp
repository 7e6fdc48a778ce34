#include "reproduce/variants.h"

#include "dsnn/data/dsbm_dataset.h"
#include "dsnn/data/registry.h"

#include "reproduce/made_up_grid.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace dsnn::reproduce {
namespace {

using testing::made_up_cell;

TEST(VariantsTest, AreKnownDatasets) {
  for (const VariantPair& pair : variant_pairs()) {
    EXPECT_NE(find_dataset_entry(pair.dataset), nullptr) << pair.dataset;
    EXPECT_NE(find_dataset_entry(pair.counterpart), nullptr) << pair.counterpart;
  }
  EXPECT_EQ(variant_models().size(), 9u);
}

TEST(VariantsTest, NodesAreTheSameWhateverTheDirections) {
  const Dataset one = dsbm_dataset({.num_nodes = 40,
                                    .num_communities = 2,
                                    .alpha_in = 0.3,
                                    .alpha_out = 0.3,
                                    .beta = 0.5,
                                    .seed = 1});
  EXPECT_TRUE(have_same_nodes(one, one));
  Dataset reversed = one;
  std::vector<Arc> arcs = sample_dsbm({.num_nodes = 40,
                                       .num_communities = 2,
                                       .alpha_in = 0.3,
                                       .alpha_out = 0.3,
                                       .beta = 0.5,
                                       .seed = 1});
  for (Arc& arc : arcs) std::swap(arc.source, arc.target);
  reversed.graph = DirectedGraph::from_arcs(40, arcs);
  std::ranges::fill(reversed.labels, 0);
  EXPECT_TRUE(have_same_nodes(one, reversed));  // by the pairs
  Dataset other_graph = one;
  other_graph.graph = DirectedGraph::from_arcs(40, std::vector<Arc>{{0, 1}});
  EXPECT_TRUE(have_same_nodes(one, other_graph));  // by the labels
  // Nodes in another order: neither pairs nor labels are the same, though the masks are.
  std::ranges::reverse(other_graph.labels);
  EXPECT_FALSE(have_same_nodes(one, other_graph));
  Dataset other_split = one;
  std::swap(other_split.splits[0], other_split.splits[1]);
  EXPECT_FALSE(have_same_nodes(one, other_split));
}

TEST(VariantsTest, Report) {
  Grid grid;
  grid.models = {"diag-dsnn", "gen-nsd"};
  grid.columns = {"a", "b", "c", "d"};
  grid.cells = {made_up_cell("diag-dsnn", "a", {50, 60, 70}, {{61, 2}}),
                made_up_cell("gen-nsd", "a"),
                made_up_cell("diag-dsnn", "b", {51, 62, 73}),
                made_up_cell("gen-nsd", "b"),
                made_up_cell("diag-dsnn", "c", {50, 60, 70}),
                made_up_cell("gen-nsd", "c", {50, 60, 70}),
                made_up_cell("diag-dsnn", "d", {51, 62, 73}),
                made_up_cell("gen-nsd", "d")};
  grid.at("gen-nsd", "d").config.emplace();
  const VariantReport report = {{{"a", "b", "what", false}, {"c", "d", "what else", true}},
                                {true, false}};
  // p: t = 2 / sqrt((1/3 + 0.4) 1) = 2.3355 with 2 degrees of freedom; and by Welch.
  const std::string first = "a,b,diag-dsnn,60.0000,10.0000,62.0000,11.0000,61.0000,2.0000,agrees,";
  EXPECT_EQ(variant_csv(grid, report),
            "published,corrected,model,published_mean,published_std,corrected_mean,corrected_std,"
            "paper_mean,paper_std,mark,difference,p,holm,comparison,published_accuracies,"
            "corrected_accuracies\n" +
                first +
                "2.0000,0.144601,0.289202,paired,50.0000 60.0000 70.0000,51.0000 62.0000 73.0000\n"
                "d,c,diag-dsnn,62.0000,11.0000,60.0000,10.0000,,,,-2.0000,0.88284,0.88284,"
                "unpaired,51.0000 62.0000 73.0000,50.0000 60.0000 70.0000\n"
                "d,c,gen-nsd,,,60.0000,10.0000,,,,,,,,,50.0000 60.0000 70.0000\n");
  const std::string text = to_markdown(make_variant_report(grid, report));
  EXPECT_NE(text.find("| a | b | diag-dsnn | 60.00 +- 10.00 | 61.00 +- 2.00 | agrees | 62.00 +- "
                      "11.00 | +2.00 | 0.145 | 0.289 | paired |\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("| d | c | gen-nsd | pending | - | - | 60.00 +- 10.00 | - | - | - | - |\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("\na, b: what.\n"), std::string::npos);
}

// The paper's result belongs to the version that its program used.
TEST(VariantsTest, ThePapersNumbersMove) {
  Grid grid;
  grid.models = {"diag-dsnn"};
  grid.columns = {"a", "b", "c", "d"};
  grid.cells = {
      made_up_cell("diag-dsnn", "a", {60}, {{61, 2}}), made_up_cell("diag-dsnn", "b", {60}),
      made_up_cell("diag-dsnn", "c", {60}, {{71, 2}}), made_up_cell("diag-dsnn", "d", {72})};
  const VariantPair pairs[] = {{"a", "b", "what", false}, {"c", "d", "what else", true}};
  compare_published_with_paper(grid, pairs);
  EXPECT_TRUE(grid.at("diag-dsnn", "a").mark());
  EXPECT_FALSE(grid.at("diag-dsnn", "b").mark());
  EXPECT_FALSE(grid.at("diag-dsnn", "c").mark());
  EXPECT_EQ(grid.at("diag-dsnn", "d").mark(), Mark::kAgrees);
}

}  // namespace
}  // namespace dsnn::reproduce
