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
  EXPECT_EQ(variant_csv(grid, report),
            "published,corrected,model,published_mean,published_std,corrected_mean,corrected_std,"
            "paper_mean,paper_std,difference,p,comparison\n"
            "a,b,diag-dsnn,60.0000,10.0000,62.0000,11.0000,61.0000,2.0000,2.0000,0.0741799,paired\n"
            "d,c,diag-dsnn,62.0000,11.0000,60.0000,10.0000,,,-2.0000,0.827282,unpaired\n"
            "d,c,gen-nsd,,,60.0000,10.0000,,,,,\n");
  const std::string text = to_markdown(make_variant_report(grid, report, {"1.2.3", 4, 2}));
  EXPECT_NE(text.find("| a | b | diag-dsnn | 60.00 +- 10.00 | 61.00 +- 2.00 | agrees | 62.00 +- "
                      "11.00 | +2.00 | 0.074 | paired |\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("| d | c | gen-nsd | pending | - | - | 60.00 +- 10.00 | - | - | - |\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("\na, b: what.\n"), std::string::npos);
}

}  // namespace
}  // namespace dsnn::reproduce
