#include "dsnn/sheaf/phase.h"

#include "dsnn/util/random.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace dsnn {
namespace {

TEST(Phase, QuarterTurnsAreExact) {
  for (const double turns : {0.0, 1.0, -3.0, 1e15}) {
    EXPECT_EQ(unit_phase(turns), Complex(1, 0));
    EXPECT_EQ(unit_phase(turns + 0.25), Complex(0, 1));
    EXPECT_EQ(unit_phase(turns - 0.25), Complex(0, -1));
    EXPECT_EQ(unit_phase(turns + 0.5), Complex(-1, 0));
  }
}

TEST(Phase, IsTheComplexExponential) {
  Random random(1);
  for (int i = 0; i < 10000; ++i) {
    const double turns = random.uniform(-4, 4);
    const Complex expected = std::exp(Complex(0, 2 * std::numbers::pi * turns));
    EXPECT_NEAR(std::abs(unit_phase(turns) - expected), 0, 1e-14);
    EXPECT_EQ(unit_phase(-turns), std::conj(unit_phase(turns)));
    EXPECT_NEAR(std::abs(unit_phase(turns)), 1, 1e-15);
  }
}

}  // namespace
}  // namespace dsnn
