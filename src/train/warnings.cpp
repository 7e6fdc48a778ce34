#include "train/warnings.h"

#include "data/feature_rows.h"
#include "train/training_data.h"
#include "util/index.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace dsnn {
namespace {

constexpr std::int64_t kFewTrainingNodes = 5;
constexpr double kVeryDifferentScale = 100;  // of root mean squares
constexpr double kAbsurdLoss = 10;           // times that of guessing
constexpr double kChance = 0.01;             // above the share of the most frequent class

/// Labelled training nodes of each class.
std::vector<std::int64_t> training_counts(const Dataset& dataset, int split) {
  std::vector<std::int64_t> counts(at(dataset.num_classes), 0);
  const std::vector<std::uint8_t>& mask = dataset.splits[at(split)].train;
  for (std::size_t u = 0; u < std::min(mask.size(), dataset.labels.size()); ++u) {
    if (mask[u] != 0 && dataset.labels[u] >= 0) ++counts[at(dataset.labels[u])];
  }
  return counts;
}

std::string class_name(const Dataset& dataset, std::size_t c) {
  return dataset.label_names.empty() ? fmt::format("{}", c) : dataset.label_names[c];
}

void warn_of_few_nodes(const Dataset& dataset, int split, std::vector<std::string>& warnings) {
  const std::vector<std::int64_t> counts = training_counts(dataset, split);
  std::string classes;
  for (std::size_t c = 0; c < counts.size(); ++c) {
    if (counts[c] >= kFewTrainingNodes) continue;
    classes +=
        fmt::format("{}'{}' ({})", classes.empty() ? "" : ", ", class_name(dataset, c), counts[c]);
  }
  if (classes.empty()) return;
  warnings.push_back(fmt::format(
      "classes with fewer than {} training nodes in split {}: {}; label more nodes, or use "
      "a larger training share (--split 70/15/15)",
      kFewTrainingNodes, split, classes));
}

void warn_of_scales(const Dataset& dataset, const Config& config,
                    std::vector<std::string>& warnings) {
  const FeaturePreparation preparation = fit_preparation(dataset, config);
  // After any scaling other than 'none', only 0/1 columns may differ in scale.
  if (config.word("normalise_features") != "none" || dataset.features.empty()) return;
  std::vector<double> squares(at(dataset.features.num_columns), 0);
  for_entries(dataset.features, [&](std::int64_t, std::int64_t column, float value) {
    squares[at(column)] += double{value} * value;
  });
  std::erase(squares, 0.0);
  if (squares.empty()) return;
  const auto [least, most] = std::ranges::minmax(squares);
  const double ratio = std::sqrt(most / least);
  if (ratio < kVeryDifferentScale) return;
  const auto largest = std::sqrt(most / static_cast<double>(dataset.features.num_rows));
  if (largest < kVeryDifferentScale) return;  // columns of rare words differ in scale without harm
  warnings.push_back(
      fmt::format("features differ in scale by a factor of {:.0e}; --scale standard scales each "
                  "column to mean 0 and deviation 1",
                  ratio));
}

}  // namespace

LearningSigns signs_of_classes(const Dataset& dataset, int split) {
  return signs_of_counts(training_counts(dataset, split));
}

LearningSigns signs_of_counts(const std::vector<std::int64_t>& counts) {
  LearningSigns signs;
  std::int64_t sum = 0;
  for (const std::int64_t count : counts) sum += count;
  signs.guess_loss = std::log(static_cast<double>(std::max<std::size_t>(counts.size(), 2)));
  if (sum > 0) {
    signs.majority_share = static_cast<double>(std::ranges::max(counts)) / static_cast<double>(sum);
  }
  return signs;
}

std::vector<std::string> data_warnings(const Dataset& dataset, const TrainOptions& options) {
  std::vector<std::string> warnings;
  std::vector<int> splits = options.splits;
  const Config config = config_for(options.model, options.config);
  for (int i = 0; options.splits.empty() && i < num_splits(dataset, config); ++i) {
    splits.push_back(i);
  }
  check_trainable(dataset, config, splits);
  // One split represents all, since they are drawn alike.
  if (!splits.empty() && task_of(config) == TaskKind::kNodes) {
    warn_of_few_nodes(dataset, splits.front(), warnings);
  }
  warn_of_scales(dataset, config, warnings);
  return warnings;
}

std::vector<std::string> training_warnings(const TrainResult& result) {
  std::vector<std::string> warnings;
  double worst_loss = 0, guess_loss = 1, best_accuracy = 0, majority = 1;
  for (const SplitResult& split : result.splits) {
    if (split.epochs == 0) return {};
    worst_loss = std::max(worst_loss, split.signs.first_loss);
    guess_loss = split.signs.guess_loss;
    best_accuracy = std::max(best_accuracy, split.signs.train_accuracy);
    majority = std::min(majority, split.signs.majority_share);
  }
  if (worst_loss > kAbsurdLoss * guess_loss) {
    warnings.push_back(fmt::format(
        "the initial loss is {:.3g}, compared with {:.2f} for guessing: the features are too "
        "large; try --scale standard for a common scale, or --set lr=0.001 for a smaller "
        "learning rate",
        worst_loss, guess_loss));
  }
  if (!result.splits.empty() && best_accuracy <= majority + kChance) {
    warnings.push_back(fmt::format(
        "{} learned nothing: its training accuracy is at most {:.1f} %, and always predicting "
        "the most frequent class gives {:.1f} %; try --scale standard, another model ('dsnn "
        "models'), or 'dsnn fit', which tries several",
        result.config.model, 100 * best_accuracy, 100 * majority));
  }
  return warnings;
}

}  // namespace dsnn
