#include "util/student.h"

#include <cmath>

namespace dsnn {
namespace {

/// The continued fraction of I_x(a, b) by Lentz's method; converges quickly for x < (a + 1) / (a +
/// b + 2).
double beta_fraction(double a, double b, double x) {
  constexpr double kTiny = 1e-300, kPrecision = 1e-15;
  const auto away_from_0 = [](double value) { return std::abs(value) < kTiny ? kTiny : value; };
  double c = 1, d = 1 / away_from_0(1 - (a + b) * x / (a + 1)), value = d;
  for (int m = 1; m < 10'000; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away_from_0(1 + even * d);
    c = away_from_0(1 + even / c);
    value *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away_from_0(1 + odd * d);
    c = away_from_0(1 + odd / c);
    value *= d * c;
    if (std::abs(d * c - 1) < kPrecision) break;
  }
  return value;
}

}  // namespace

double incomplete_beta(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double front = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) +
                                a * std::log(x) + b * std::log1p(-x));
  // I_x(a, b) = 1 - I_{1-x}(b, a): the fraction converges quickly on one side.
  if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
  return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double two_sided_p(double t, double degrees_of_freedom) {
  return incomplete_beta(degrees_of_freedom / 2, 0.5,
                         degrees_of_freedom / (degrees_of_freedom + t * t));
}

double student_quantile(double p, double degrees_of_freedom) {
  // two_sided_p decreases with t: bisection, with an upper bound found by doubling.
  double low = 0, high = 1;
  while (two_sided_p(high, degrees_of_freedom) > p) high *= 2;
  for (int i = 0; i < 200 && low < high; ++i) {
    const double middle = low + (high - low) / 2;
    if (middle == low || middle == high) break;
    (two_sided_p(middle, degrees_of_freedom) > p ? low : high) = middle;
  }
  return high;
}

}  // namespace dsnn
