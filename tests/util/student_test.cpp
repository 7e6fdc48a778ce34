#include "util/student.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace dsnn {
namespace {

TEST(IncompleteBetaTest, HasItsClosedForms) {
  for (const double x : {0.0, 0.01, 0.3, 0.5, 0.77, 0.999, 1.0}) {
    EXPECT_NEAR(incomplete_beta(1, 1, x), x, 1e-14);
    EXPECT_NEAR(incomplete_beta(3, 1, x), x * x * x, 1e-14);
    EXPECT_NEAR(incomplete_beta(1, 4, x), 1 - std::pow(1 - x, 4), 1e-14);
    EXPECT_NEAR(incomplete_beta(0.5, 0.5, x), 2 / std::numbers::pi * std::asin(std::sqrt(x)),
                1e-13);
    EXPECT_NEAR(incomplete_beta(2.5, 7, x), 1 - incomplete_beta(7, 2.5, 1 - x), 1e-13);
  }
}

// Critical values from tables of Student's distribution.
TEST(TwoSidedPTest, AgreesWithTables) {
  EXPECT_NEAR(two_sided_p(2.262157, 9), 0.05, 1e-6);
  EXPECT_NEAR(two_sided_p(3.249836, 9), 0.01, 1e-7);
  EXPECT_NEAR(two_sided_p(4.780913, 9), 0.001, 1e-8);
  EXPECT_NEAR(two_sided_p(12.706205, 1), 0.05, 1e-7);
  EXPECT_NEAR(two_sided_p(2.042272, 30), 0.05, 1e-6);
  EXPECT_NEAR(two_sided_p(1.959964, 1e9), 0.05, 1e-5);
  EXPECT_EQ(two_sided_p(0, 9), 1);
  EXPECT_EQ(two_sided_p(-2, 9), two_sided_p(2, 9));
}

// For one degree of freedom (Cauchy) and for two there are formulas.
TEST(TwoSidedPTest, AgreesWithClosedForms) {
  for (const double t : {0.1, 0.5, 1.0, 3.0, 20.0}) {
    EXPECT_NEAR(two_sided_p(t, 1), 1 - 2 / std::numbers::pi * std::atan(t), 1e-13);
    EXPECT_NEAR(two_sided_p(t, 2), 1 - t / std::sqrt(2 + t * t), 1e-13);
  }
}

// From tables, and by the formulas for one and two degrees of freedom.
TEST(StudentQuantileTest, AgreesWithTablesAndFormulas) {
  EXPECT_NEAR(student_quantile(0.05, 9), 2.262157, 1e-6);
  EXPECT_NEAR(student_quantile(0.05, 30), 2.042272, 1e-6);
  EXPECT_NEAR(student_quantile(0.01, 4), 4.604095, 1e-6);
  EXPECT_NEAR(student_quantile(0.05, 1e9), 1.959964, 1e-5);
  for (const double p : {0.5, 0.1, 0.05, 0.001}) {
    EXPECT_NEAR(student_quantile(p, 1) * std::tan(std::numbers::pi * p / 2), 1, 1e-10);
    EXPECT_NEAR(student_quantile(p, 2), (1 - p) * std::sqrt(2 / (p * (2 - p))), 1e-10 / p);
  }
}

}  // namespace
}  // namespace dsnn
