#include "reproduce/run_cells.h"

#include "dsnn/data/dsbm_dataset.h"
#include "dsnn/nn/model.h"

#include "reproduce/made_up_grid.h"
#include "support/test_files.h"
#include "util/folder_lock.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>

namespace dsnn::reproduce {
namespace {

class NoObserver : public CellObserver {
  void begin(const Cell&, int, int, std::size_t, double) override {}
  void show(const TrainProgress&) override {}
  void end(const Cell&, int, int, double) override {}
  void note(const std::string&) override {}
};

/// The first nodes are training nodes, the last ones test nodes.
Split made_up_split(std::size_t num_nodes, std::size_t num_train, std::size_t num_test) {
  Split split;
  split.train.resize(num_nodes);
  split.validation.resize(num_nodes);
  split.test.resize(num_nodes);
  std::fill_n(split.train.begin(), num_train, 1);
  std::fill_n(split.test.rbegin(), num_test, 1);
  return split;
}

// The corrected test for splits that share nodes depends on it.
TEST(CollectScores, CountsTestNodesForEachTrainingNode) {
  const testing::TempDir dir;
  testing::write_text(dir / "result.json", "{}");
  Grid grid;
  grid.models = {"gcn"};
  grid.columns = {"made-up"};
  grid.cells = {testing::made_up_cell("gcn", "made-up", {50})};
  grid.cells[0].folder = dir.path();
  const auto load = [](const std::string&) {
    Dataset dataset = dsbm_dataset({.num_nodes = 20, .num_communities = 2, .seed = 1});
    dataset.splits = {made_up_split(20, 8, 2), made_up_split(20, 4, 3)};
    return dataset;
  };
  NoObserver observer;
  collect_scores(grid, load, observer);
  EXPECT_DOUBLE_EQ(grid.cells[0].test_per_train, (2.0 / 8 + 3.0 / 4) / 2);
}

/// Starts training into the folder of a cell once its old run has been renamed: after it was
/// checked, before it is locked.
class Rival : public NoObserver {
 public:
  explicit Rival(std::filesystem::path folder) : folder_(std::move(folder)) {}
  void note(const std::string& text) override {
    notes += text + "\n";
    if (lock_) return;
    std::filesystem::create_directories(folder_);
    lock_.emplace(folder_);
    ASSERT_TRUE(lock_->try_lock());
  }
  std::string notes;

 private:
  std::filesystem::path folder_;
  std::optional<FolderLock> lock_;
};

TEST(RunCells, LeavesToOthersWhatTheyBeginMeanwhile) {
  const testing::TempDir dir;
  Grid grid;
  grid.models = {"gcn"};
  grid.columns = {"made-up"};
  grid.cells = {testing::made_up_cell("gcn", "made-up", {})};
  Cell& cell = grid.cells[0];
  cell.folder = dir / "run";
  cell.config = RunConfig{};
  cell.config->model = "gcn";
  cell.config->dataset = "made-up";
  cell.config->config = default_config("gcn");
  cell.scores.reset();
  RunConfig other = *cell.config;
  other.seed = 1;
  std::filesystem::create_directories(cell.folder);
  testing::write_text(dir / "run/config.toml", write_toml(other));
  Rival rival(cell.folder);
  const auto load = [](const std::string&) {
    return dsbm_dataset({.num_nodes = 60, .num_communities = 2, .seed = 1});
  };
  run_cells(grid, load, 1, rival);
  EXPECT_TRUE(rival.notes.ends_with("another process is training gcn on made-up; skipped\n"))
      << rival.notes;
  EXPECT_EQ(cell.failure, "");
  EXPECT_TRUE(cell.is_pending());
}

}  // namespace
}  // namespace dsnn::reproduce
