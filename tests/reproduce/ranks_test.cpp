#include "reproduce/ranks.h"

#include "reproduce/made_up_grid.h"
#include "reproduce/report.h"
#include "support/test_files.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

namespace dsnn::reproduce {
namespace {

using testing::contains;
using testing::made_up_cell;

/// Four models on four datasets, and one that lacks a dataset.
Grid ranked_grid() {
  Grid grid;
  grid.models = {"gcn", "gat", "mlp", "sgc", "sage"};
  grid.columns = {"texas", "cora", "film", "pubmed"};
  const double scores[][4] = {
      {60, 80, 30, 90}, {70, 81, 31, 89}, {50, 60, 29, 70}, {60, 70, 28, 80}};
  for (std::size_t c = 0; c < 4; ++c) {
    for (std::size_t m = 0; m < 4; ++m) {
      grid.cells.push_back(
          made_up_cell(grid.models[m], grid.columns[c], {scores[m][c] - 1, scores[m][c] + 1}));
    }
    grid.cells.push_back(c == 0 ? made_up_cell("sage", grid.columns[c])
                                : made_up_cell("sage", grid.columns[c], {99, 99}));
  }
  return grid;
}

// Table 5 of Demsar (2006), at 0.05 and 0.10.
TEST(Ranks, QuantilesAreThoseOfTheTable) {
  const std::pair<std::size_t, double> table[] = {{2, 1.960}, {3, 2.343}, {5, 2.728}, {10, 3.164}};
  for (const auto& [count, expected] : table) {
    EXPECT_NEAR(nemenyi_quantile(count, 0.05), expected, 1e-3) << count;
  }
  EXPECT_NEAR(nemenyi_quantile(4, 0.10), 2.291, 1e-3);
}

// The p-value is scipy.stats.f.sf(F, 3, 9).
TEST(Ranks, OfModelsThatHaveAllColumns) {
  const auto ranks = rank_models(ranked_grid());
  ASSERT_TRUE(ranks);
  ASSERT_EQ(ranks->models.size(), 4u);
  // texas: 2.5 1 4 2.5, cora: 2 1 4 3, film: 2 1 3 4, pubmed: 1 2 4 3
  EXPECT_EQ(ranks->models[0].name, "gat");
  EXPECT_DOUBLE_EQ(ranks->models[0].mean_rank, 1.25);
  EXPECT_EQ(ranks->models[1].name, "gcn");
  EXPECT_DOUBLE_EQ(ranks->models[1].mean_rank, 1.875);
  EXPECT_DOUBLE_EQ(ranks->models[2].mean_rank, 3.125);
  EXPECT_DOUBLE_EQ(ranks->models[3].mean_rank, 3.75);
  EXPECT_NEAR(ranks->critical_difference, 2.569 * std::sqrt(4 * 5 / (6.0 * 4)), 1e-3);
  EXPECT_NEAR(ranks->p, 0.00250978794, 1e-9);  // chi^2 = 9.375, F = 10.714
}

TEST(Ranks, NeedThreeModelsAndColumns) {
  Grid grid = ranked_grid();
  grid.keep({"gcn", "gat", "sage"}, grid.columns);
  EXPECT_FALSE(rank_models(grid));
  grid = ranked_grid();
  grid.keep(grid.models, {"texas", "cora"});
  EXPECT_FALSE(rank_models(grid));
}

TEST(Ranks, AreDrawn) {
  const auto ranks = rank_models(ranked_grid());
  const std::string svg = rank_diagram(*ranks);
  EXPECT_TRUE(contains(svg, "gat 1.25"));
  EXPECT_TRUE(contains(svg, "critical difference 2.35"));
  Document document;
  add_ranks(document, ranked_grid(), "dataset");
  EXPECT_TRUE(contains(to_markdown(document), "4 models with results on all 4 datasets"));
  Document none;
  add_ranks(none, testing::made_up_grid(), "dataset");
  EXPECT_TRUE(none.blocks.empty());
}

TEST(Report, TheBestAndSecondBestStandOut) {
  const std::string text = to_markdown(make_report(ranked_grid(), "Title", "dataset"));
  EXPECT_TRUE(contains(text, "| gat | **70.00 +- 1.41** | <u>81.00 +- 1.41</u> |")) << text;
  EXPECT_TRUE(contains(to_html(make_report(ranked_grid(), "Title", "dataset")),
                       "<td class=\"best\"><span>70.00"));
}

}  // namespace
}  // namespace dsnn::reproduce
