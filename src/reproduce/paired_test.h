#pragma once

#include <span>
#include <vector>

namespace dsnn::reproduce {

/// How two lists of scores differ: first minus second.
struct Difference {
  double mean = 0;
  double p = 1;  ///< two-sided, of a t-test; 1 if a test is impossible (less than two scores)
  double corrected_p = 1;  ///< if the samples overlap: [eq:corrected-t]
  bool is_paired = false;
  int wins = 0, ties = 0, losses = 0;  ///< of the first, by pairs; 0 if unpaired
};

/// Score i of both lists belongs together; the lists have the same length. `test_per_train`: for
/// the correction, how many times as many items a split tests as it trains on; 0 if splits share
/// none.
Difference paired_difference(std::span<const double> first, std::span<const double> second,
                             double test_per_train = 0);
/// They do not; Welch's test, for variances that may differ.
Difference unpaired_difference(std::span<const double> first, std::span<const double> second,
                               double test_per_train = 0);

/// P-values of several tests, adjusted so that the chance of one false alarm among them stays below
/// the level (Holm 1979).
std::vector<double> holm_adjusted(std::span<const double> p);

}  // namespace dsnn::reproduce
