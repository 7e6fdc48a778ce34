#include "dsnn/train/scores.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace dsnn {
namespace {

/// A key whose ascending order is the descending order of numbers.
std::uint64_t key_of(double number) {
  constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
  const auto bits = std::bit_cast<std::uint64_t>(number);
  return (bits & kSign) != 0 ? bits : ~(bits ^ kSign);
}

/// Sorts by one byte after the other, the lowest first. Many bytes of scores, which are floats, are
/// the same for all.
void sort_by_bytes(std::vector<std::pair<std::uint64_t, double>>& items) {
  std::vector<std::pair<std::uint64_t, double>> sorted(items.size());
  for (int shift = 0; shift < 64; shift += 8) {
    std::array<std::size_t, 257> begin = {};
    const auto byte = [&](const auto& item) {
      return static_cast<std::size_t>(item.first >> shift & 0xff);
    };
    for (const auto& item : items) ++begin[byte(item) + 1];
    if (begin[byte(items.front()) + 1] == items.size()) continue;
    for (std::size_t b = 1; b < begin.size(); ++b) begin[b] += begin[b - 1];
    for (const auto& item : items) sorted[begin[byte(item)]++] = item;
    items.swap(sorted);
  }
}

std::vector<double> descending(std::span<const double> numbers) {
  constexpr std::size_t kMany = 256;  // pairs of links are ranked in every epoch
  std::vector<double> result(numbers.begin(), numbers.end());
  if (numbers.size() < kMany) {
    std::ranges::sort(result, std::greater());
    return result;
  }
  std::vector<std::pair<std::uint64_t, double>> items;
  items.reserve(numbers.size());
  for (const double number : numbers) items.emplace_back(key_of(number), number);
  sort_by_bytes(items);
  for (std::size_t i = 0; i < items.size(); ++i) result[i] = items[i].second;
  return result;
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
