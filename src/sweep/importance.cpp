#include "dsnn/sweep/importance.h"

#include "dsnn/util/random.h"

#include "sweep/axis.h"
#include "util/index.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace dsnn {
namespace {

constexpr int kBins = 4;         // of a range
constexpr int kShuffles = 199;   // the 190th of them in order is the 95 % quantile
constexpr double kSame = 1e-20;  // a sum of squares due to rounding: scores are of order 1

/// Groups of trials with the same value; values of a range are in bins of about equal size.
std::vector<int> groups_of(const Dimension& dimension, const std::vector<const Trial*>& trials) {
  std::vector<int> groups;
  if (!dimension.values.empty()) {
    std::map<ParameterValue, int> known;
    for (const Trial* trial : trials) {
      const ParameterValue& value = trial->config.value(dimension.name);
      groups.push_back(known.try_emplace(value, static_cast<int>(known.size())).first->second);
    }
    return groups;
  }
  std::vector<double> numbers;
  for (const Trial* trial : trials) {
    numbers.push_back(number_of(trial->config.value(dimension.name)).value_or(0));
  }
  std::vector<double> sorted = numbers;
  std::ranges::sort(sorted);
  for (const double number : numbers) {
    // By the number of smaller values, so that equal values are in the same bin.
    const auto smaller = std::ranges::lower_bound(sorted, number) - sorted.begin();
    groups.push_back(static_cast<int>(kBins * smaller / std::ssize(sorted)));
  }
  return groups;
}

/// [eq:importance] without the cut at 0.
std::optional<double> explained_share(const std::vector<int>& groups,
                                      const std::vector<double>& scores) {
  const double n = static_cast<double>(scores.size());
  double sum = 0;
  std::map<int, std::pair<double, double>> by_group;  // sum and number
  for (std::size_t i = 0; i < scores.size(); ++i) {
    sum += scores[i];
    by_group[groups[i]].first += scores[i];
    by_group[groups[i]].second += 1;
  }
  const double k = static_cast<double>(by_group.size());
  if (k < 2 || n <= k) return std::nullopt;
  double total = 0, within = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const auto& [group_sum, size] = by_group[groups[i]];
    total += std::pow(scores[i] - sum / n, 2);
    within += std::pow(scores[i] - group_sum / size, 2);
  }
  if (total < kSame) return std::nullopt;
  return 1 - (within / (n - k)) / (total / (n - 1));
}

double chance_share(const std::vector<int>& groups, std::vector<double> scores) {
  Random random(0);  // the same page for the same sweep
  std::vector<double> shares;
  for (int i = 0; i < kShuffles; ++i) {
    random.shuffle(scores);
    shares.push_back(std::max(0.0, explained_share(groups, scores).value_or(0)));
  }
  std::ranges::sort(shares);
  return shares[(kShuffles + 1) * 95 / 100 - 1];
}

}  // namespace

ImportanceReport parameter_importance(const Sweep& sweep) {
  ImportanceReport report;
  std::vector<const Trial*> trials;
  std::vector<double> scores;
  for (const Trial& trial : sweep.trials) {
    if (trial.rungs.empty()) continue;
    const RungScore& first = trial.rungs.front();
    if (first.is_failed || !std::isfinite(first.validation)) {
      ++report.num_failed;
      continue;
    }
    trials.push_back(&trial);
    scores.push_back(first.validation);
  }
  report.num_compared = static_cast<int>(trials.size());
  for (const Dimension& dimension : sweep.dimensions) {
    if (!is_searched(dimension)) continue;
    Importance importance{dimension.name, std::nullopt, 0};
    const std::vector<int> groups = groups_of(dimension, trials);
    if (const auto share = explained_share(groups, scores)) {
      importance.share = std::max(0.0, *share);
      importance.chance = chance_share(groups, scores);
    }
    report.parameters.push_back(importance);
  }
  std::ranges::stable_sort(report.parameters, [](const Importance& a, const Importance& b) {
    return a.share.value_or(-1) > b.share.value_or(-1);
  });
  return report;
}

}  // namespace dsnn
