#include "reproduce/ensembles.h"

#include "dsnn/util/error.h"

#include "reproduce/made_up_grid.h"
#include "reproduce/paired_test.h"
#include "support/test_files.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

namespace dsnn::reproduce {
namespace {

using testing::contains;
using testing::made_up_cell;
using testing::message_of;
using testing::TempDir;

EnsembleOptions options_in(const TempDir& dir) {
  return {dir / "out", dir / "results", {1}, false};
}

/// diag-nsd is the best of texas by validation, not by the test; mlp has failed.
Grid table() {
  Grid grid = testing::made_up_grid();
  grid.at("diag-nsd", "texas").scores->validation = 91;
  grid.at("mlp", "texas").scores->validation = 99;
  grid.at("gcn", "cora").scores->validation = 91;
  return grid;
}

TEST(Ensembles, AreOfTheBestByValidation) {
  const TempDir dir;
  const Grid grid = plan_ensembles(table(), options_in(dir));
  EXPECT_EQ(grid.models, (std::vector<std::string>{"diag-nsd", "gcn"}));
  EXPECT_EQ(grid.cells.size(), 4u);
  const Cell& best = grid.at("diag-nsd", "texas");
  EXPECT_TRUE(best.is_pending());
  EXPECT_EQ(best.members, kEnsembleMembers);
  ASSERT_EQ(best.runs.size(), 1u);
  EXPECT_EQ(best.runs[0].folder, dir / "out/seed-1/texas/diag-nsd");
  EXPECT_FALSE(grid.at("gcn", "texas").config);
  EXPECT_TRUE(grid.at("gcn", "cora").config);
  // Only selected cells count.
  Grid some = table();
  for (Cell& cell : some.cells) cell.is_selected = cell.model == "diag-dsnn";
  EXPECT_EQ(plan_ensembles(some, options_in(dir)).models, std::vector<std::string>{"diag-dsnn"});
  for (Cell& cell : some.cells) cell.scores.reset();
  EXPECT_TRUE(contains(message_of<Error>([&] { plan_ensembles(some, options_in(dir)); }),
                       "first train the table"));
}

TEST(Ensembles, StoredOnesAreChecked) {
  const TempDir dir;
  EnsembleOptions options = options_in(dir);
  options.is_stored = true;
  EXPECT_TRUE(contains(message_of<Error>([&] { plan_ensembles(table(), options); }),
                       "contains no ensemble"));
  std::filesystem::create_directories(dir / "results/texas");
  testing::write_text(dir / "results/texas/diag-dsnn.json", "{}");
  const Grid grid = plan_ensembles(table(), options);
  EXPECT_EQ(grid.models, std::vector<std::string>{"diag-dsnn"});
  EXPECT_EQ(grid.at("diag-dsnn", "texas").stored, dir / "results/texas/diag-dsnn.json");
}

TEST(Ensembles, AreComparedWithOneNetwork) {
  const TempDir dir;
  const Grid single = table();
  Grid grid = plan_ensembles(single, options_in(dir));
  Cell& cell = grid.at("diag-nsd", "texas");
  cell.scores = made_up_cell("diag-nsd", "texas", {82, 85, 90}).scores;
  cell.test_per_train = 0.4;
  const std::vector<double> ensemble = {82, 85, 90}, one = {80, 82, 88};
  const Difference expected = paired_difference(ensemble, one, 0.4);
  const std::string text = to_markdown(make_ensembles_report(grid, single));
  EXPECT_TRUE(contains(text, fmt::format("| texas | diag-nsd | 83.33 +- 4.16 | 85.67 +- 4.04 | "
                                         "+2.33 | {0:.3f} | {0:.3f} | 85.00 +- 1.00 (diag-dsnn) |",
                                         expected.corrected_p)))
      << text;
  EXPECT_TRUE(contains(text,
                       "| cora | gcn | 81.00 +- 1.73 | pending | - | - | - | "
                       "87.50 +- 1.00 (diag-dsnn) |"))
      << text;
  const std::string csv = ensembles_csv(grid, single);
  EXPECT_TRUE(contains(csv, "\ntexas,diag-nsd,83.3333,4.1633,85.6667,4.0415,2.3333,")) << csv;
  EXPECT_FALSE(contains(csv, "cora"));
}

}  // namespace
}  // namespace dsnn::reproduce
