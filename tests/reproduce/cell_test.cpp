#include "reproduce/cell.h"

#include "dsnn/nn/model.h"

#include "reproduce/made_up_grid.h"
#include "support/test_files.h"

#include <gtest/gtest.h>

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
