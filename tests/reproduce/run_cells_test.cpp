#include "reproduce/run_cells.h"

#include "dsnn/data/dsbm_dataset.h"
#include "dsnn/nn/model.h"
#include "dsnn/train/ensemble.h"

#include "reproduce/made_up_grid.h"
#include "support/test_files.h"
#include "util/folder_lock.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace dsnn::reproduce {
namespace {

class NoObserver : public CellObserver {
  void plan(int, double) override {}
  void begin(const Cell&, const SeedRun&, int, int, std::size_t, double) override {}
  void show(const TrainProgress&) override {}
  void end(const Cell&, const SeedRun&, int, int, double) override {}
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
  grid.cells[0].runs = {{1, dir.path()}};
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
  cell.runs = {{0, dir / "run"}};
  cell.config = RunConfig{};
  cell.config->model = "gcn";
  cell.config->dataset = "made-up";
  cell.config->config = default_config("gcn");
  cell.scores.reset();
  RunConfig other = *cell.config;
  other.seed = 1;
  std::filesystem::create_directories(dir / "run");
  testing::write_text(dir / "run/config.toml", write_toml(other));
  Rival rival(dir / "run");
  const auto load = [](const std::string&) {
    return dsbm_dataset({.num_nodes = 60, .num_communities = 2, .seed = 1});
  };
  run_cells(grid, load, 1, rival);
  EXPECT_TRUE(
      rival.notes.ends_with("another process is training gcn on made-up with seed 0; skipped\n"))
      << rival.notes;
  EXPECT_EQ(cell.failure, "");
  EXPECT_TRUE(cell.is_pending());
}

/// Records what is announced and trained.
class Recorder : public NoObserver {
 public:
  void plan(int total, double seconds) override {
    trained += fmt::format("{} in {} s:", total, seconds);
  }
  void begin(const Cell& cell, const SeedRun& run, int, int, std::size_t, double) override {
    trained += fmt::format(" {}-{}", cell.model, run.seed);
  }
  std::string trained;
};

/// Two quick models with two seeds, and the run of the search.
Grid two_seeds(const testing::TempDir& dir) {
  Grid grid;
  grid.models = {"mlp", "gcn"};
  grid.columns = {"made-up"};
  for (const std::string& model : grid.models) {
    Cell cell;
    cell.model = model;
    cell.column = "made-up";
    cell.config.emplace();
    cell.config->model = model;
    cell.config->dataset = "made-up";
    cell.config->config = default_config(model);
    cell.config->config.set_text("epochs=3");
    for (const std::uint64_t seed : {7, 8}) {
      cell.runs.push_back({seed, run_folder(dir.path(), seed, "made-up", model)});
    }
    cell.runs.push_back({5, dir / ("made-up/" + model), true});
    grid.cells.push_back(cell);
  }
  return grid;
}

Dataset small_graph(const std::string&) {
  return dsbm_dataset({.num_nodes = 60, .num_communities = 2, .seed = 1});
}

// A search with few cells left must not wait for the third seed of the first.
TEST(RunCells, TrainsTheFirstSeedsOfAllCellsFirst) {
  const testing::TempDir dir;
  Grid grid = two_seeds(dir);
  Recorder recorder;
  run_cells(grid, small_graph, 1, recorder);
  EXPECT_EQ(recorder.trained, "4 in 0 s: mlp-7 gcn-7 mlp-8 gcn-8");
  const Cell& cell = grid.at("gcn", "made-up");
  ASSERT_TRUE(cell.is_scored());
  EXPECT_EQ(cell.scores->seeds, (std::vector<std::uint64_t>{7, 8}));
  for (std::size_t i = 0; i < cell.scores->accuracies.size(); ++i) {
    EXPECT_DOUBLE_EQ(cell.scores->accuracies[i],
                     (cell.runs[0].scores->accuracies[i] + cell.runs[1].scores->accuracies[i]) / 2);
  }
  // The next call finds them.
  Grid again = two_seeds(dir);
  Recorder none;
  collect_scores(again, small_graph, none);
  run_cells(again, small_graph, 1, none);
  EXPECT_EQ(none.trained, "");
  EXPECT_EQ(again.at("gcn", "made-up").scores->accuracies, cell.scores->accuracies);
}

TEST(RunCells, AnEnsembleIsARunOfItsOwn) {
  const testing::TempDir dir;
  Grid grid = two_seeds(dir);
  grid.keep({"gcn"}, grid.columns);
  grid.cells[0].runs.resize(1);
  Grid ensembles = grid;
  ensembles.cells[0].members = 3;
  ensembles.cells[0].runs[0].folder = dir / "ensemble";
  NoObserver observer;
  run_cells(grid, small_graph, 1, observer);
  run_cells(ensembles, small_graph, 1, observer);
  const CellScores& single = *grid.cells[0].scores;
  ASSERT_TRUE(ensembles.cells[0].is_scored());
  const CellScores& averaged = *ensembles.cells[0].scores;
  // Member 1 is the single network; the scores are those of the averaged probabilities.
  const RunConfig config = grid.cells[0].config_of(grid.cells[0].runs[0]);
  EXPECT_EQ(read_scores(dir / "ensemble/member-1", config, 10)->accuracies, single.accuracies);
  const Ensemble ensemble(dir / "ensemble");
  EXPECT_EQ(ensemble.members().size(), 3u);
  const Dataset dataset = small_graph("");
  for (int split = 0; split < 10; ++split) {
    EXPECT_DOUBLE_EQ(averaged.accuracies[static_cast<std::size_t>(split)],
                     100 * ensemble_scores(ensemble, split, dataset).test.accuracy);
  }
  Grid again = ensembles;
  again.cells[0].runs[0].scores.reset();
  collect_scores(again, small_graph, observer);
  EXPECT_EQ(again.cells[0].scores->accuracies, averaged.accuracies);
}

}  // namespace
}  // namespace dsnn::reproduce
