#include "sweep/time_left.h"

#include <gtest/gtest.h>

namespace dsnn {
namespace {

TrainingRecord record(std::int64_t trial, std::int64_t limit, std::int64_t epochs, double seconds) {
  TrainingRecord record;
  record.training = {trial, limit, 0};
  record.result.epochs = epochs;
  record.result.seconds = seconds;
  return record;
}

// Six trainings of ten epochs, three without a limit, which may have 400 epochs and stop earlier.
TEST(TimeLeft, IsAsLongAsOthersOfTheKindTook) {
  const TrainingPlan plan = {{10, 6}, {0, 3}};
  std::vector<TrainingRecord> done;
  EXPECT_FALSE(training_seconds_left(plan, done, 400));
  for (int trial = 0; trial < 4; ++trial) done.push_back(record(trial, 10, 10, 2));
  EXPECT_DOUBLE_EQ(training_seconds_left(plan, done, 400).value(), 2 * 2 + 3 * 400 * 0.2);
  done.push_back(record(0, 0, 60, 12));
  done.push_back(record(1, 0, 80, 18));
  EXPECT_DOUBLE_EQ(training_seconds_left(plan, done, 400).value(), 2 * 2 + 15);
  done.push_back(record(2, 0, 0, 0));  // failed at once
  EXPECT_DOUBLE_EQ(training_seconds_left(plan, done, 400).value(), 2 * 2);
}

TEST(TimeLeft, IsNoneWhereNothingIsToBeDone) {
  EXPECT_EQ(training_seconds_left({{10, 1}}, {record(0, 10, 0, 0)}, 400), 0);
  EXPECT_EQ(training_seconds_left({{10, 1}}, {record(0, 10, 5, 1), record(1, 10, 5, 1)}, 400), 0);
}

}  // namespace
}  // namespace dsnn
