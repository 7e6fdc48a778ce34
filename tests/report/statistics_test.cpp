#include "report/statistics.h"

#include "dsnn/util/random.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace dsnn {
namespace {

// Student's quantile agrees with printed tables.
TEST(Statistics, IntervalOfAMean) {
  const std::vector<double> values = {0.5, 0.6, 0.8};
  const auto interval = mean_interval(values);
  ASSERT_TRUE(interval);
  // t(0.975, 2) = 4.302652729911275, deviation 0.152752523165195
  const double reach = 4.302652729911275 * 0.152752523165195 / std::sqrt(3.0);
  EXPECT_NEAR(interval->low, 1.9 / 3 - reach, 1e-9);
  EXPECT_NEAR(interval->high, 1.9 / 3 + reach, 1e-9);
  const auto corrected = mean_interval(values, 0.5);
  const double wide = 4.302652729911275 * 0.152752523165195 * std::sqrt(1.0 / 3 + 0.5);
  EXPECT_NEAR(corrected->high, 1.9 / 3 + wide, 1e-9);
  EXPECT_FALSE(mean_interval(std::vector<double>{0.5}));
  EXPECT_FALSE(mean_interval({}));
}

// The ends are the shares p with |p - hits / n| = z sqrt(p (1 - p) / n).
TEST(Statistics, WilsonsIntervalSolvesItsEquation) {
  for (const auto& [hits, count] : std::vector<std::pair<int, int>>{{3, 10}, {29, 37}, {1, 2}}) {
    const Interval interval = wilson_interval(hits, count);
    for (const double p : {interval.low, interval.high}) {
      EXPECT_NEAR(std::abs(p - double(hits) / count),
                  1.959963984540054 * std::sqrt(p * (1 - p) / count), 1e-12);
    }
    EXPECT_LT(interval.low, interval.high);
  }
  EXPECT_EQ(wilson_interval(0, 5).low, 0);
  EXPECT_EQ(wilson_interval(5, 5).high, 1);
}

TEST(Statistics, ScoresOfClasses) {
  const std::vector<Prediction> all = {
      {0, 0, 0, 0, 0.9}, {0, 1, 0, 1, 0.8}, {0, 2, 1, 1, 0.7}, {0, 3, 0, 0, 0.6}};
  const std::vector<std::int64_t> confusion = confusion_matrix(all, 3);
  EXPECT_EQ(confusion, (std::vector<std::int64_t>{2, 1, 0, 0, 1, 0, 0, 0, 0}));
  const std::vector<ClassScores> scores = class_scores(confusion, 3);
  EXPECT_EQ(scores[0].precision, 1);
  EXPECT_DOUBLE_EQ(*scores[0].recall, 2.0 / 3);
  EXPECT_DOUBLE_EQ(*scores[0].f1, 0.8);
  EXPECT_EQ(scores[0].support, 3);
  EXPECT_EQ(scores[1].precision, 0.5);
  EXPECT_EQ(scores[1].recall, 1);
  EXPECT_FALSE(scores[2].precision || scores[2].recall || scores[2].f1);  // 0 over 0
}

TEST(Statistics, CalibrationOfEachTenth) {
  // The lower end of a bin belongs to it, and 1 to the last.
  const std::vector<Prediction> all = {
      {0, 0, 0, 0, 0.5}, {0, 1, 0, 1, 0.55}, {0, 2, 1, 1, 1.0}, {0, 3, 0, 0, 0.9}};
  const Calibration calibration = calibration_of(all);
  ASSERT_EQ(calibration.bins.size(), 10U);
  EXPECT_EQ(calibration.bins[5].count, 2);
  EXPECT_DOUBLE_EQ(calibration.bins[5].probability, 0.525);
  EXPECT_EQ(calibration.bins[5].accuracy, 0.5);
  EXPECT_EQ(calibration.bins[9].count, 2);
  EXPECT_DOUBLE_EQ(calibration.bins[9].probability, 0.95);
  EXPECT_EQ(calibration.bins[9].accuracy, 1);
  EXPECT_NEAR(calibration.error, (2 * 0.025 + 2 * 0.05) / 4, 1e-12);
}

// A calibrated model has a small error, one that is always certain does not.
TEST(Statistics, CalibrationTellsHonestModels) {
  Random random(3);
  std::vector<Prediction> honest, sure;
  for (int i = 0; i < 20000; ++i) {
    const double probability = random.uniform(0.3, 1);
    const bool is_right = random.uniform(0, 1) < probability;
    honest.push_back({0, i, 0, is_right ? 0 : 1, probability});
    sure.push_back({0, i, 0, is_right ? 0 : 1, 1});
  }
  EXPECT_LT(calibration_of(honest).error, 0.02);
  EXPECT_NEAR(calibration_of(sure).error, 0.35, 0.02);
}

TEST(Statistics, MistakesAreOneANode) {
  const std::vector<Prediction> all = {{0, 7, 0, 1, 0.6}, {1, 7, 0, 2, 0.9}, {2, 7, 0, 0, 0.99},
                                       {0, 3, 1, 0, 0.7}, {0, 4, 1, 1, 1.0}, {1, 2, 1, 0, 0.7}};
  const std::vector<Mistake> mistakes = find_mistakes(all);
  ASSERT_EQ(mistakes.size(), 3U);
  EXPECT_EQ(mistakes[0].prediction.node, 7);
  EXPECT_EQ(mistakes[0].prediction.split, 1);
  EXPECT_EQ(mistakes[0].prediction.predicted, 2);
  EXPECT_EQ(mistakes[0].num_wrong, 2);
  EXPECT_EQ(mistakes[0].num_tested, 3);
  EXPECT_EQ(mistakes[1].prediction.node, 2);  // ties by number
  EXPECT_EQ(mistakes[2].prediction.node, 3);
}

}  // namespace
}  // namespace dsnn
