#include "report/statistics.h"

#include "dsnn/train/scores.h"

#include "util/index.h"
#include "util/student.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

namespace dsnn {
namespace {

constexpr double kLevel = 0.05;  // of the intervals: 95 %

std::optional<double> ratio(double part, double whole) {
  return whole > 0 ? std::optional(part / whole) : std::nullopt;
}

}  // namespace

std::optional<Interval> mean_interval(std::span<const double> values, double test_per_train) {
  if (values.size() < 2) return std::nullopt;
  const auto [mean, deviation] = mean_and_deviation(values);
  const auto count = static_cast<double>(values.size());
  const double reach =
      student_quantile(kLevel, count - 1) * deviation * std::sqrt(1 / count + test_per_train);
  return Interval{mean - reach, mean + reach};
}

Interval wilson_interval(std::int64_t hits, std::int64_t count) {
  constexpr double kZ = 1.9599639845400545;  // of the normal distribution, for 95 %
  const auto n = static_cast<double>(count);
  const double p = static_cast<double>(hits) / n, scale = 1 + kZ * kZ / n;
  const double centre = (p + kZ * kZ / (2 * n)) / scale;
  const double reach = kZ / scale * std::sqrt(p * (1 - p) / n + kZ * kZ / (4 * n * n));
  // At the ends the formula is exact except for rounding.
  return {hits == 0 ? 0 : centre - reach, hits == count ? 1 : centre + reach};
}

std::vector<std::int64_t> confusion_matrix(std::span<const Prediction> all,
                                           std::int64_t num_classes) {
  std::vector<std::int64_t> counts(at(num_classes * num_classes), 0);
  for (const Prediction& p : all) ++counts[at(p.label * num_classes + p.predicted)];
  return counts;
}

std::vector<ClassScores> class_scores(std::span<const std::int64_t> confusion,
                                      std::int64_t num_classes) {
  std::vector<ClassScores> scores;
  for (std::int64_t c = 0; c < num_classes; ++c) {
    std::int64_t actual = 0, predicted = 0;
    for (std::int64_t other = 0; other < num_classes; ++other) {
      actual += confusion[at(c * num_classes + other)];
      predicted += confusion[at(other * num_classes + c)];
    }
    const auto hits = static_cast<double>(confusion[at(c * num_classes + c)]);
    scores.push_back({ratio(hits, static_cast<double>(predicted)),
                      ratio(hits, static_cast<double>(actual)),
                      ratio(2 * hits, static_cast<double>(actual + predicted)), actual});
  }
  return scores;
}

Calibration calibration_of(std::span<const Prediction> all) {
  constexpr std::size_t kBins = 10;
  Calibration calibration;
  calibration.bins.resize(kBins);
  for (const Prediction& p : all) {
    const auto bin = static_cast<std::size_t>(p.probability * kBins);
    ReliabilityBin& to = calibration.bins[std::min(bin, kBins - 1)];
    ++to.count;
    to.probability += p.probability;
    to.accuracy += p.is_right() ? 1 : 0;
  }
  for (ReliabilityBin& bin : calibration.bins) {
    if (bin.count == 0) continue;
    calibration.error += std::abs(bin.probability - bin.accuracy) / static_cast<double>(all.size());
    bin.probability /= static_cast<double>(bin.count);
    bin.accuracy /= static_cast<double>(bin.count);
  }
  return calibration;
}

std::vector<Mistake> find_mistakes(std::span<const Prediction> all) {
  std::map<NodeId, Mistake> by_node;
  for (const Prediction& p : all) {
    Mistake& mistake = by_node[p.node];
    ++mistake.num_tested;
    if (p.is_right()) continue;
    if (mistake.num_wrong == 0 || p.probability > mistake.prediction.probability) {
      mistake.prediction = p;
    }
    ++mistake.num_wrong;
  }
  std::vector<Mistake> mistakes;
  for (const auto& [node, mistake] : by_node) {
    if (mistake.num_wrong > 0) mistakes.push_back(mistake);
  }
  std::ranges::stable_sort(mistakes, std::ranges::greater(),
                           [](const Mistake& m) { return m.prediction.probability; });
  return mistakes;
}

}  // namespace dsnn
