#include "util/portable_math.h"

#include "dsnn/util/random.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace dsnn {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The number of floating-point values between two.
std::int64_t distance(double a, double b) {
  return std::abs(std::bit_cast<std::int64_t>(a) - std::bit_cast<std::int64_t>(b));
}

TEST(PortableMath, IsTheStandardLibrarysButForTheLastBit) {
  Random random(1);
  for (int i = 0; i < 200'000; ++i) {
    const double x = random.uniform(-700, 700);
    EXPECT_LE(distance(portable::exp(x), std::exp(x)), 2) << x;
    const double positive = std::ldexp(random.uniform(0.5, 1), static_cast<int>(x));
    EXPECT_LE(distance(portable::log(positive), std::log(positive)), 2) << positive;
    const double near_one = random.uniform(0.5, 2);
    EXPECT_LE(distance(portable::log(near_one), std::log(near_one)), 3) << near_one;
    const double small = random.uniform(-0.9, 0.9) * std::ldexp(1, -static_cast<int>(i % 40));
    EXPECT_LE(distance(portable::log1p(small), std::log1p(small)), 4) << small;
    const double angle = random.uniform(-0.7853, 0.7853);
    EXPECT_NEAR(portable::sin_cos(angle).sin, std::sin(angle), 2e-16) << angle;
    EXPECT_NEAR(portable::sin_cos(angle).cos, std::cos(angle), 2e-16) << angle;
  }
  for (std::int64_t n = 0; n < 2000; ++n) {
    EXPECT_NEAR(portable::power(0.999, n) / std::pow(0.999, static_cast<double>(n)), 1, 1e-12);
  }
  EXPECT_NEAR(portable::power(3.0, 0.7), std::pow(3.0, 0.7), 1e-15);
}

TEST(PortableMath, KnowsTheEnds) {
  EXPECT_EQ(portable::exp(-kInfinity), 0);
  EXPECT_EQ(portable::exp(kInfinity), kInfinity);
  EXPECT_EQ(portable::exp(0), 1);
  EXPECT_EQ(portable::exp(-1000), 0);
  EXPECT_GT(portable::exp(-740), 0);
  EXPECT_TRUE(std::isnan(portable::exp(std::nan(""))));
  EXPECT_EQ(portable::log(0), -kInfinity);
  EXPECT_EQ(portable::log(1), 0);
  EXPECT_EQ(portable::log(kInfinity), kInfinity);
  EXPECT_TRUE(std::isnan(portable::log(-1)));
  EXPECT_TRUE(std::isnan(portable::log(std::nan(""))));
  EXPECT_EQ(portable::log1p(-1), -kInfinity);
  EXPECT_EQ(portable::log1p(0), 0);
  EXPECT_EQ(portable::log1p(1e-300), 1e-300);
  EXPECT_EQ(portable::power(0.5, std::int64_t{0}), 1);
}

// The bits of every machine.
TEST(PortableMath, HasTheSameBitsEverywhere) {
  Random random(2);
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (int i = 0; i < 10'000; ++i) {
    const double x = random.uniform(-50, 50), y = random.uniform(1e-9, 10);
    const auto [sin, cos] = portable::sin_cos(x / 64);
    for (const double z : {portable::exp(x), portable::log(y), portable::log1p(y), sin, cos}) {
      hash = (hash ^ std::bit_cast<std::uint64_t>(z)) * 0x100000001b3u;
    }
  }
  EXPECT_EQ(hash, 0x90962f5e8b852c21u);
}

}  // namespace
}  // namespace dsnn
