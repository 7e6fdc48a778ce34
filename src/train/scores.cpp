#include "dsnn/train/scores.h"

#include "train/class_counts.h"
#include "util/index.h"
#include "util/log_sum_exp.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
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

ClassCounts count_classes(std::span<const float> logits, std::int64_t num_classes,
                          std::span<const std::int64_t> labels,
                          std::span<const std::int64_t> nodes) {
  const std::size_t classes = at(num_classes);
  ClassCounts counts(classes);
  for (const std::int64_t node : nodes) {
    const float* row = logits.data() + at(node) * classes;
    const std::size_t label = at(labels[at(node)]);
    const auto best = static_cast<std::size_t>(std::max_element(row, row + classes) - row);
    counts.loss_sum += log_sum_exp(row, num_classes) - row[label];
    ++counts.predicted[best];
    ++counts.actual[label];
    if (best == label) ++counts.hits[label];
    if (classes == 2) counts.add_margin(label == 1, static_cast<double>(row[1]) - row[0]);
  }
  return counts;
}

Scores score(std::span<const float> logits, std::int64_t num_classes,
             std::span<const std::int64_t> labels, std::span<const std::int64_t> nodes) {
  return count_classes(logits, num_classes, labels, nodes).scores(nodes.size());
}

Scores ClassCounts::scores(std::size_t num_nodes) && {
  Scores scores;
  if (num_nodes == 0) return scores;
  const auto count = static_cast<double>(num_nodes);
  scores.loss = loss_sum / count;
  scores.accuracy = std::accumulate(hits.begin(), hits.end(), 0.0) / count;
  double sum_f1 = 0, occurring = 0;
  for (std::size_t c = 0; c < hits.size(); ++c) {
    if (predicted[c] + actual[c] == 0) continue;
    sum_f1 += 2 * hits[c] / (predicted[c] + actual[c]);
    ++occurring;
  }
  scores.macro_f1 = sum_f1 / occurring;
  if (const auto ranks = rank_scores(positives, negatives)) scores.roc_auc = ranks->roc_auc;
  return scores;
}

}  // namespace dsnn
