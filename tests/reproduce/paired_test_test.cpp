#include "reproduce/paired_test.h"

#include "dsnn/util/error.h"

#include "util/student.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace dsnn::reproduce {
namespace {

// Student's own example (1908): extra hours of sleep by two drugs; t = -4.0621, p = 0.002833.
const std::vector<double> kFirst = {0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0};
const std::vector<double> kSecond = {1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4};

TEST(DifferenceTest, OfStudentsSleepers) {
  const Difference paired = paired_difference(kFirst, kSecond);
  EXPECT_TRUE(paired.is_paired);
  EXPECT_NEAR(paired.mean, -1.58, 1e-12);
  EXPECT_NEAR(paired.p, 0.002833, 1e-6);
  EXPECT_EQ(paired.wins, 0);
  EXPECT_EQ(paired.ties, 1);
  EXPECT_EQ(paired.losses, 9);
  // As by R's t.test(): t = -1.8608, df = 17.776.
  const Difference unpaired = unpaired_difference(kFirst, kSecond);
  EXPECT_FALSE(unpaired.is_paired);
  EXPECT_NEAR(unpaired.mean, -1.58, 1e-12);
  EXPECT_NEAR(unpaired.p, 0.07939, 1e-5);
}

// The sleepers' t of -4.0621 has sqrt(1/10) in its denominator; the correction puts sqrt(1/10 + r).
TEST(DifferenceTest, IsCorrectedForOverlap) {
  EXPECT_EQ(paired_difference(kFirst, kSecond).corrected_p, paired_difference(kFirst, kSecond).p);
  for (const double ratio : {0.1, 0.4, 2.0}) {
    const double t = 4.062128 * std::sqrt(0.1 / (0.1 + ratio));
    EXPECT_NEAR(paired_difference(kFirst, kSecond, ratio).corrected_p, two_sided_p(t, 9), 1e-6);
    const double welch = 1.8608 * std::sqrt(0.1 / (0.1 + ratio));
    const Difference unpaired = unpaired_difference(kFirst, kSecond, ratio);
    EXPECT_NEAR(unpaired.corrected_p, two_sided_p(welch, 17.776), 1e-5);
    EXPECT_NEAR(unpaired.p, 0.07939, 1e-5);
  }
}

// Holm's procedure by hand: 4 x 0.005, 3 x 0.01, 2 x 0.03, and no p below that of a clearer case.
TEST(HolmTest, AdjustsFromTheClearestOn) {
  const std::vector<double> p = {0.01, 0.04, 0.03, 0.005};
  const std::vector<double> expected = {0.03, 0.06, 0.06, 0.02};
  const std::vector<double> adjusted = holm_adjusted(p);
  ASSERT_EQ(adjusted.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(adjusted[i], expected[i], 1e-15);
  EXPECT_EQ(holm_adjusted(std::vector<double>{0.7, 0.8}), (std::vector<double>{1, 1}));
  EXPECT_TRUE(holm_adjusted({}).empty());
}

TEST(DifferenceTest, WithoutSpreadOrScores) {
  const std::vector<double> one = {1}, none, a = {1, 2, 3}, b = {2, 3, 4};
  EXPECT_EQ(paired_difference(a, a).p, 1);
  EXPECT_EQ(paired_difference(a, b).p, 0);
  EXPECT_EQ(paired_difference(one, one).p, 1);
  EXPECT_EQ(paired_difference(none, none).p, 1);
  EXPECT_EQ(unpaired_difference(one, a).p, 1);
  EXPECT_EQ(unpaired_difference(std::vector<double>{5, 5}, std::vector<double>{5, 5}).p, 1);
  EXPECT_THROW(paired_difference(one, a), Error);
}

}  // namespace
}  // namespace dsnn::reproduce
