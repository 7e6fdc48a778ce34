#include "dsnn/train/scores.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

namespace dsnn {
namespace {

std::vector<double> descending(std::span<const double> numbers) {
  std::vector<double> sorted(numbers.begin(), numbers.end());
  std::ranges::sort(sorted, std::greater());
  return sorted;
}

bool has_nan(std::span<const double> numbers) {
  return std::ranges::any_of(numbers, [](double z) { return std::isnan(z); });
}

}  // namespace

// Both sets are walked from the largest score to the smallest, a group of equal scores at a time.
std::optional<RankScores> rank_scores(std::span<const double> positives,
                                      std::span<const double> negatives) {
  if (positives.empty() || negatives.empty() || has_nan(positives) || has_nan(negatives)) {
    return std::nullopt;
  }
  const std::vector<double> up = descending(positives), down = descending(negatives);
  const auto num_positives = static_cast<double>(up.size());
  const auto num_negatives = static_cast<double>(down.size());
  RankScores scores;
  double wins = 0;
  for (std::size_t p = 0, n = 0; p < up.size();) {
    const double score = up[p];
    const std::size_t first = p;
    while (p < up.size() && up[p] == score) ++p;
    while (n < down.size() && down[n] > score) ++n;
    std::size_t above = n;  // negatives above the group
    while (n < down.size() && down[n] == score) ++n;
    const auto group = static_cast<double>(p - first), ties = static_cast<double>(n - above);
    const auto better = static_cast<double>(above);
    wins += group * (num_negatives - better - ties / 2);
    scores.mrr += group / (1 + better + ties / 2);
    scores.average_precision +=
        group * static_cast<double>(p) / (static_cast<double>(p) + better + ties);
    for (std::size_t i = 0; i < kHits.size(); ++i) {
      const auto k = static_cast<std::size_t>(kHits[i]);
      if (down.size() < k || score > down[k - 1]) scores.hits[i] += group;
    }
  }
  scores.roc_auc = wins / (num_positives * num_negatives);
  scores.mrr /= num_positives;
  scores.average_precision /= num_positives;
  for (double& hits : scores.hits) hits /= num_positives;
  return scores;
}

}  // namespace dsnn
