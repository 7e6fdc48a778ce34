#pragma once

#include <span>
#include <vector>

namespace dsnn::reproduce {

/// The difference of two lists of scores: first minus second.
struct Difference {
  double mean = 0;
  double p = 1;  ///< two-sided, of a t-test; 1 if a test is impossible (fewer than two scores)
  double corrected_p = 1;  ///< if the samples overlap: [eq:corrected-t]
  bool is_paired = false;
  int wins = 0, ties = 0, losses = 0;  ///< of the first, by pairs; 0 if unpaired
};

/// Scores with the same index are paired; the lists have the same length. `test_per_train`: for the
/// correction, the ratio of test items to training items of a split; 0 if splits share none.
Difference paired_difference(std::span<const double> first, std::span<const double> second,
                             double test_per_train = 0);
/// Unpaired scores; Welch's test, for variances that may differ.
Difference unpaired_difference(std::span<const double> first, std::span<const double> second,
                               double test_per_train = 0);

/// P-values of several tests, adjusted so that the chance of one false alarm among them stays below
/// the level (Holm 1979).
std::vector<double> holm_adjusted(std::span<const double> p);

}  // namespace dsnn::reproduce
