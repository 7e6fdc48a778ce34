#pragma once

#include <span>

namespace dsnn::reproduce {

/// The regularised incomplete beta function I_x(a, b), for a, b > 0 and x in [0, 1].
double incomplete_beta(double a, double b, double x);

/// Probability of a |t| at least as large under Student's distribution.
double two_sided_p(double t, double degrees_of_freedom);

/// How two lists of scores differ: first minus second.
struct Difference {
  double mean = 0;
  double p = 1;  ///< two-sided, of a t-test; 1 if a test is impossible (less than two scores)
  bool is_paired = false;
  int wins = 0, ties = 0, losses = 0;  ///< of the first, by pairs; 0 if unpaired
};

/// Score i of both lists belongs together; the lists have the same length.
Difference paired_difference(std::span<const double> first, std::span<const double> second);
/// They do not; Welch's test, for variances that may differ.
Difference unpaired_difference(std::span<const double> first, std::span<const double> second);

}  // namespace dsnn::reproduce
