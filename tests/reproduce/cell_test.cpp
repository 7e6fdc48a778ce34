#include "reproduce/cell.h"

#include "dsnn/nn/model.h"

#include "reproduce/made_up_grid.h"
#include "support/test_files.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace dsnn::reproduce {
namespace {

using testing::made_up_cell;
using testing::TempDir;
using testing::write_text;

TEST(MarkTest, CountsThePapersDeviations) {
  const MeanAndDeviation paper = {80, 2};
  EXPECT_EQ(mark_of(80, paper), Mark::kAgrees);
  EXPECT_EQ(mark_of(82, paper), Mark::kAgrees);
  EXPECT_EQ(mark_of(78, paper), Mark::kAgrees);
  EXPECT_EQ(mark_of(77.99, paper), Mark::kClose);
  EXPECT_EQ(mark_of(84, paper), Mark::kClose);
  EXPECT_EQ(mark_of(84.01, paper), Mark::kDiffers);
  EXPECT_EQ(mark_of(70, paper), Mark::kDiffers);
  EXPECT_EQ(mark_of(84.33, {84.86, 0.53}), Mark::kAgrees) << "decimals are no doubles";
  EXPECT_EQ(mark_of(83.80, {84.86, 0.53}), Mark::kClose);
  EXPECT_EQ(mark_of(84.32, {84.86, 0.53}), Mark::kClose);
}

TEST(CellTest, HasAMarkOnlyWithBothNumbers) {
  Cell cell = made_up_cell("gcn", "texas", {50, 60}, {{54, 1}});
  EXPECT_EQ(cell.difference(), 1);
  EXPECT_EQ(cell.mark(), Mark::kAgrees);
  cell.scores->num_failed = 1;
  EXPECT_TRUE(cell.has_failed());
  EXPECT_FALSE(cell.mark());
  EXPECT_FALSE(made_up_cell("gcn", "texas", {50}).mark());
  EXPECT_FALSE(made_up_cell("gcn", "texas", {}, {{54, 1}}).difference());
}

CellScores scores_with(std::uint64_t seed, std::vector<double> accuracies) {
  CellScores scores;
  scores.accuracies = std::move(accuracies);
  scores.seeds = {seed};
  scores.seed_means = {scores.mean().mean};
  scores.validation = 10.0 * static_cast<double>(seed);
  scores.seconds = 2;
  scores.wall_seconds = 1;
  scores.arithmetic.version = 2;
  scores.circumstances = {{"1a2b3c4", 2, 4, "Some CPU"}};
  return scores;
}

TEST(CellTest, NewSeedsReplaceThatOfTheSearch) {
  Cell cell = made_up_cell("gcn", "texas");
  cell.config.emplace();
  cell.runs = {{1, "a"}, {2, "b"}, {99, "c", true, scores_with(99, {90, 90})}};
  cell.combine_runs();
  EXPECT_EQ(cell.scores->accuracies, (std::vector<double>{90, 90}));
  EXPECT_TRUE(cell.is_incomplete());
  cell.runs[0].scores = scores_with(1, {50, 60});
  cell.combine_runs();
  EXPECT_EQ(cell.scores->accuracies, (std::vector<double>{50, 60}));
  EXPECT_TRUE(cell.is_incomplete());
  cell.runs[1].scores = scores_with(2, {54, 66});
  cell.runs[1].scores->num_failed = 1;
  cell.runs[1].scores->failure = "the loss is nan";
  cell.runs[1].scores->arithmetic.version = 1;
  cell.combine_runs();
  EXPECT_FALSE(cell.is_incomplete());
  EXPECT_EQ(cell.scores->accuracies, (std::vector<double>{52, 63}));
  EXPECT_EQ(cell.scores->seeds, (std::vector<std::uint64_t>{1, 2}));
  const std::vector<double> means = {55, 60};
  EXPECT_EQ(cell.scores->deviation_over_seeds(), mean_and_deviation(means).deviation);
  EXPECT_DOUBLE_EQ(cell.scores->validation, 15);
  EXPECT_EQ(cell.scores->seconds, 4);
  EXPECT_EQ(cell.scores->wall_seconds, 2);
  EXPECT_EQ(cell.scores->arithmetic.version, 0);  // several
  EXPECT_EQ(cell.scores->circumstances.size(), 1u);
  EXPECT_TRUE(cell.has_failed());
  EXPECT_EQ(cell.scores->failure, "the loss is nan");
  // A seed that could not be trained is a failure of the cell.
  cell.runs[1].scores.reset();
  cell.runs[1].failure = "not enough memory";
  cell.combine_runs();
  EXPECT_EQ(cell.failure, "not enough memory");
}

class RunFolderTest : public ::testing::Test {
 protected:
  RunFolderTest() {
    config_.model = "gcn";
    config_.checksum = "abc";
    config_.config = default_config("gcn");
    std::filesystem::create_directories(folder_);
    write_text(folder_ / "config.toml", write_toml(config_));
    std::vector<SplitResult> results(2);
    for (SplitResult& result : results) {
      result.best_epoch = 1;
      result.num_validation = result.num_test = 10;
    }
    results[1].split = 1;
    results[1].test.accuracy = 0.5;
    results[1].seconds = 2;
    write_text(folder_ / "result.json", result_json({config_, results}));
  }

  TempDir dir_;
  std::filesystem::path folder_ = dir_ / "gcn";
  RunConfig config_;
};

TEST_F(RunFolderTest, AFinishedRunIsRead) {
  const auto scores = read_scores(folder_, config_, 2);
  ASSERT_TRUE(scores);
  EXPECT_EQ(scores->accuracies, (std::vector<double>{0, 50}));
  EXPECT_EQ(scores->seconds, 2);
  EXPECT_EQ(scores->num_failed, 0);
}

TEST_F(RunFolderTest, ASplitThatFailedAtOnceHasNoScores) {
  std::vector<SplitResult> results(2);
  results[1].split = 1;
  results[1].failure = "split 1: the loss of epoch 1 is nan";
  write_text(folder_ / "result.json", result_json({config_, results}));
  const auto scores = read_scores(folder_, config_, 2);
  ASSERT_TRUE(scores);
  EXPECT_EQ(scores->num_failed, 1);
}

TEST_F(RunFolderTest, TimesOfAllCallsAreAdded) {
  EXPECT_EQ(read_scores(folder_, config_, 2)->wall_seconds, 0);
  EXPECT_TRUE(read_scores(folder_, config_, 2)->circumstances.empty());
  const Circumstances one = {"1a2b3c4", 2, 4, "Some CPU"}, other = {"unknown", 1, 8, "Another"};
  add_wall_seconds(folder_, 2.5, one);
  add_wall_seconds(folder_, 1.25, one);
  add_wall_seconds(folder_, 4, other);
  const auto scores = read_scores(folder_, config_, 2);
  EXPECT_EQ(scores->wall_seconds, 7.75);
  EXPECT_EQ(scores->circumstances, (std::vector{one, other}));
}

TEST(CircumstancesTest, NameThisProgramAndMachine) {
  const Circumstances here = current_circumstances(3);
  EXPECT_EQ(here.jobs, 3);
  EXPECT_GT(here.cores, 0);
  EXPECT_FALSE(here.commit.empty());
  EXPECT_FALSE(here.processor.empty());
}

TEST_F(RunFolderTest, IsInUseWhileItIsLocked) {
  EXPECT_FALSE(is_in_use(folder_));
  EXPECT_FALSE(is_in_use(dir_ / "none"));
  FolderLock lock(folder_);
  ASSERT_TRUE(lock.try_lock());
  EXPECT_TRUE(is_in_use(folder_));
}

TEST_F(RunFolderTest, AnotherOrAnUnfinishedOneIsNot) {
  EXPECT_FALSE(read_scores(folder_, config_, 10));
  EXPECT_TRUE(set_other_run_aside(folder_, config_).empty());
  RunConfig other = config_;
  other.seed = 1;
  EXPECT_FALSE(read_scores(folder_, other, 2));
  write_text(folder_ / "result.json", "{\"splits\": [");
  EXPECT_FALSE(read_scores(folder_, config_, 2));
  EXPECT_EQ(set_other_run_aside(folder_, other), dir_ / "gcn.old-1");
  EXPECT_EQ(dir_.list(), std::vector<std::string>{"gcn.old-1"});
  EXPECT_TRUE(set_other_run_aside(folder_, other).empty());  // nothing is there any more
  std::filesystem::create_directories(folder_);
  write_text(folder_ / "config.toml", "torn");
  EXPECT_EQ(set_other_run_aside(folder_, other), dir_ / "gcn.old-2");
}

}  // namespace
}  // namespace dsnn::reproduce
