#include "reproduce/paired_test.h"

#include "dsnn/train/scores.h"
#include "dsnn/util/error.h"

#include "util/student.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace dsnn::reproduce {
namespace {

/// p of a mean that lies `mean` from 0 with this standard error. Without any spread the answer is
/// certain.
double p_of(double mean, double standard_error, double degrees_of_freedom) {
  if (standard_error == 0) return mean == 0 ? 1 : 0;
  return two_sided_p(mean / standard_error, degrees_of_freedom);
}

}  // namespace

Difference paired_difference(std::span<const double> first, std::span<const double> second,
                             double test_per_train) {
  if (first.size() != second.size()) {
    throw Error(fmt::format("paired_difference: {} and {} scores, expected equal numbers",
                            first.size(), second.size()));
  }
  Difference result;
  result.is_paired = true;
  std::vector<double> differences;
  for (std::size_t i = 0; i < first.size(); ++i) {
    differences.push_back(first[i] - second[i]);
    result.wins += first[i] > second[i];
    result.ties += first[i] == second[i];
    result.losses += first[i] < second[i];
  }
  const auto [mean, deviation] = mean_and_deviation(differences);
  result.mean = mean;
  const auto count = static_cast<double>(differences.size());
  if (count < 2) return result;
  result.p = p_of(mean, deviation * std::sqrt(1 / count), count - 1);
  result.corrected_p = p_of(mean, deviation * std::sqrt(1 / count + test_per_train), count - 1);
  return result;
}

Difference unpaired_difference(std::span<const double> first, std::span<const double> second,
                               double test_per_train) {
  const MeanAndDeviation a = mean_and_deviation(first), b = mean_and_deviation(second);
  Difference result;
  result.mean = a.mean - b.mean;
  if (first.size() < 2 || second.size() < 2) return result;
  const auto n = static_cast<double>(first.size()), m = static_cast<double>(second.size());
  const auto p_with = [&](double ratio) {
    const double u = a.deviation * a.deviation * (1 / n + ratio);
    const double v = b.deviation * b.deviation * (1 / m + ratio);
    // Welch and Satterthwaite.
    const double degrees_of_freedom =
        u + v > 0 ? (u + v) * (u + v) / (u * u / (n - 1) + v * v / (m - 1)) : 1;
    return p_of(result.mean, std::sqrt(u + v), degrees_of_freedom);
  };
  result.p = p_with(0);
  result.corrected_p = p_with(test_per_train);
  return result;
}

std::vector<double> holm_adjusted(std::span<const double> p) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return p[i]; });
  std::vector<double> adjusted(p.size());
  double least = 0;  // adjusted p-values must not decrease
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    least = std::max(least, std::min(1.0, p[order[rank]] * static_cast<double>(p.size() - rank)));
    adjusted[order[rank]] = least;
  }
  return adjusted;
}

}  // namespace dsnn::reproduce
