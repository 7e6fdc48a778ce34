#include "reproduce/grid.h"

#include "dsnn/util/error.h"

#include "support/test_files.h"

#include <gtest/gtest.h>

namespace dsnn::reproduce {
namespace {

using testing::contains;
using testing::message_of;
using testing::TempDir;
using testing::write_text;
using Names = std::vector<std::string>;

class GridTest : public ::testing::Test {
 protected:
  GridTest() {
    add("texas", "gcn");
    add("texas", "diag-dsnn");
    add("cora", "gcn");
    options_.configs = dir_ / "configs";
    options_.out = dir_ / "out";
    options_.paper.entries = {{"gcn", "cora", {80, 1}}, {"mlp", "texas", {70, 1}}};
  }
  void add(const std::string& column, const std::string& model, const std::string& dataset = "") {
    std::filesystem::create_directories(dir_ / "configs" / column);
    write_text(
        dir_ / "configs" / column / (model + ".toml"),
        "model = \"" + model + "\"\ndataset = \"" + (dataset.empty() ? column : dataset) + "\"\n");
  }
  std::string error() {
    return message_of<Error>([&] { plan_grid(options_); });
  }

  TempDir dir_;
  GridOptions options_;
};

TEST_F(GridTest, HasThePapersOrderThenOthers) {
  const Grid grid = plan_grid(options_);
  EXPECT_EQ(grid.columns, (Names{"cora", "texas"}));
  EXPECT_EQ(grid.models, (Names{"gcn", "mlp", "diag-dsnn"}));
  EXPECT_EQ(grid.cells.size(), 6u);
  EXPECT_TRUE(grid.at("gcn", "texas").is_pending());
  const std::vector<SeedRun>& runs = grid.at("gcn", "texas").runs;
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0].seed, 1u);
  EXPECT_EQ(runs[0].folder, dir_ / "out" / "seed-1" / "texas" / "gcn");
  EXPECT_TRUE(runs[1].is_of_search);
  EXPECT_EQ(runs[1].folder, dir_ / "out" / "texas" / "gcn");
  EXPECT_TRUE(grid.at("mlp", "texas").runs.empty());  // no configuration
  EXPECT_EQ(grid.at("gcn", "cora").paper->mean, 80);
  EXPECT_FALSE(grid.at("mlp", "texas").config);
  EXPECT_FALSE(grid.at("gcn", "texas").paper);
}

TEST_F(GridTest, ColumnsMayHaveSeedsOfTheirOwn) {
  options_.column_seeds = {{"texas", {1, 2}}};
  options_.seeds = {5};
  const Grid grid = plan_grid(options_);
  EXPECT_EQ(grid.at("gcn", "texas").runs.size(), 3u);
  EXPECT_EQ(grid.at("gcn", "texas").runs[1].seed, 2u);
  EXPECT_EQ(grid.at("gcn", "cora").runs[0].seed, 5u);
}

TEST_F(GridTest, KeepsWhatIsSelectedAndWhatIsTrained) {
  options_.columns = {"texas"};
  options_.models = {"gcn"};
  Grid grid = plan_grid(options_);
  EXPECT_TRUE(grid.at("gcn", "texas").is_selected);
  EXPECT_FALSE(grid.at("gcn", "cora").is_selected);
  EXPECT_TRUE(grid.at("gcn", "cora").is_pending());
  Grid other = grid;
  grid.trim();
  EXPECT_EQ(grid.columns, Names{"texas"});
  EXPECT_EQ(grid.models, Names{"gcn"});
  EXPECT_EQ(grid.cells.size(), 1u);
  other.at("diag-dsnn", "cora").scores.emplace();
  other.trim();
  EXPECT_EQ(other.columns, (Names{"cora", "texas"}));
  EXPECT_EQ(other.models, (Names{"gcn", "diag-dsnn"}));
}

TEST_F(GridTest, AColumnMayTakeTheConfigurationsOfAnother) {
  options_.stand_ins = {{"texas_better", "texas"}};
  options_.columns = {"texas", "texas_better"};
  EXPECT_EQ(plan_grid(options_).at("gcn", "texas_better").config->dataset, "texas_better");
  EXPECT_FALSE(plan_grid(options_).at("mlp", "texas_better").config);
  add("texas_better", "mlp");
  EXPECT_TRUE(plan_grid(options_).at("mlp", "texas_better").config);
  options_.columns.clear();
  options_.hidden_columns = {"texas_better"};
  EXPECT_EQ(plan_grid(options_).columns, (Names{"cora", "texas"}));
}

TEST_F(GridTest, SaysWhatIsWrong) {
  options_.columns = {"txas"};
  EXPECT_TRUE(contains(error(), "unknown dataset 'txas'; did you mean 'texas'?"));
  options_.columns = {"entirely else"};
  EXPECT_TRUE(contains(error(), "expected cora, texas"));
  options_.columns.clear();
  options_.models = {"gnc"};
  EXPECT_TRUE(contains(error(), "unknown model 'gnc'; did you mean 'gcn'?"));
  options_.models = {"mlp"};
  EXPECT_TRUE(contains(error(), "no configuration for the selected cells"));
  options_.models = {"gcn", "mlp"};
  EXPECT_TRUE(contains(error(), "/configs/<dataset>/mlp.toml"));
  options_.models.clear();
  add("texas", "gcn", "cora");
  EXPECT_TRUE(contains(error(), "gcn.toml: is for the dataset cora, expected texas"));
  options_.columns_are_datasets = false;
  plan_grid(options_);
  write_text(dir_ / "configs" / "texas" / "gcn.toml", "model = \"gat\"\n");
  EXPECT_TRUE(contains(error(), "gcn.toml: is for the model gat, expected gcn"));
  write_text(dir_ / "configs" / "texas" / "gcn.toml", "model = \"gcn\"\n[parameters]\nlayer = 2\n");
  EXPECT_TRUE(contains(error(), "gcn.toml:3: "));
  write_text(dir_ / "configs" / "texas" / "gnc.toml", "model = \"gcn\"\n");
  EXPECT_TRUE(contains(error(), "unknown model 'gnc'"));
  options_.configs = dir_ / "none";
  EXPECT_TRUE(contains(error(), "none: no such folder"));
}

}  // namespace
}  // namespace dsnn::reproduce
