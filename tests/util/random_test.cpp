#include "dsnn/util/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace dsnn {
namespace {

TEST(Random, IsTheSameOnEveryMachine) {
  // The 10000th number of mt19937_64 with the default seed is fixed by the C++ standard.
  Random random(std::mt19937_64::default_seed);
  for (int i = 1; i < 10000; ++i) random.uniform();
  EXPECT_EQ(random.uniform(), static_cast<double>(9981545732273789042ULL >> 11) * 0x1.0p-53);
}

TEST(Random, BelowIsUniform) {
  Random random(1);
  std::array<int, 7> counts{};
  constexpr int kDraws = 70000;
  for (int i = 0; i < kDraws; ++i) ++counts[random.below(7)];
  for (const int count : counts) EXPECT_NEAR(count, kDraws / 7.0, 6 * std::sqrt(kDraws / 7.0));
  EXPECT_EQ(random.below(1), 0U);
}

TEST(Random, ShuffleKeepsAllAndReachesEveryOrder) {
  Random random(2);
  std::array<int, 6> counts{};
  for (int i = 0; i < 6000; ++i) {
    std::vector<int> values = {0, 1, 2};
    random.shuffle(values);
    std::vector<int> sorted = values;
    std::sort(sorted.begin(), sorted.end());
    ASSERT_EQ(sorted, (std::vector<int>{0, 1, 2}));
    ++counts[static_cast<std::size_t>(2 * values[0] + (values[1] > values[2] ? 1 : 0))];
  }
  for (const int count : counts) EXPECT_NEAR(count, 1000, 6 * std::sqrt(1000.0));
}

}  // namespace
}  // namespace dsnn
