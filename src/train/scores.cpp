#include "dsnn/train/scores.h"

#include "util/index.h"
#include "util/log_sum_exp.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace dsnn {
MeanAndDeviation mean_and_deviation(std::span<const double> values) {
  MeanAndDeviation result;
  const auto count = static_cast<double>(values.size());
  for (const double value : values) result.mean += value / count;
  double square = 0;
  for (const double value : values) square += (value - result.mean) * (value - result.mean);
  if (values.size() > 1) result.deviation = std::sqrt(square / (count - 1));
  return result;
}

Scores score(std::span<const float> logits, std::int64_t num_classes,
             std::span<const std::int64_t> labels, std::span<const std::int64_t> nodes) {
  Scores scores;
  if (nodes.empty()) return scores;
  const std::size_t classes = at(num_classes);
  std::vector<double> hits(classes, 0), predicted(classes, 0), actual(classes, 0);
  std::vector<double> positives, negatives;  // of class 1, of class 0: by how much class 1 is ahead
  double num_hits = 0;
  for (const std::int64_t node : nodes) {
    const float* row = logits.data() + at(node) * classes;
    const std::size_t label = at(labels[at(node)]);
    const auto best = static_cast<std::size_t>(std::max_element(row, row + classes) - row);
    scores.loss += log_sum_exp(row, num_classes) - row[label];
    ++predicted[best];
    ++actual[label];
    if (best == label) ++hits[label], ++num_hits;
    if (classes != 2) continue;
    (label == 1 ? positives : negatives).push_back(static_cast<double>(row[1]) - row[0]);
  }
  const auto count = static_cast<double>(nodes.size());
  scores.loss /= count;
  scores.accuracy = num_hits / count;
  double sum_f1 = 0, occurring = 0;
  for (std::size_t c = 0; c < classes; ++c) {
    if (predicted[c] + actual[c] == 0) continue;
    sum_f1 += 2 * hits[c] / (predicted[c] + actual[c]);
    ++occurring;
  }
  scores.macro_f1 = sum_f1 / occurring;
  if (const auto ranks = rank_scores(positives, negatives)) scores.roc_auc = ranks->roc_auc;
  return scores;
}

}  // namespace dsnn
