#include "train/training_data.h"

#include "dsnn/data/registry.h"
#include "dsnn/data/splits.h"
#include "dsnn/train/train.h"
#include "dsnn/util/error.h"

#include "data/reorder.h"
#include "graph/locality_order.h"
#include "util/index.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace dsnn {

void check_trainable(const Dataset& dataset, const std::vector<int>& splits) {
  const auto fail = [&](const std::string& what) {
    throw Error(fmt::format("{}: {}", dataset.name, what));
  };
  if (dataset.labels.empty()) fail("has no labels, expected some to learn from");
  if (dataset.features.empty()) {
    fail("has no features (--features degrees makes some from the graph)");
  }
  if (dataset.splits.empty()) fail("has no splits (--split 48/32/20 draws some)");
  for (const int split : splits) {
    if (split < 0 || split >= std::ssize(dataset.splits)) {
      fail(fmt::format("has splits 0 to {}, but split {} is asked for", dataset.splits.size() - 1,
                       split));
    }
  }
  for (const SplitProblem& problem : check_splits(dataset)) {
    if (problem.is_error && problem.text.find("masks of") != std::string::npos) fail(problem.text);
  }
}

bool normalises_rows(const Config& config, const std::string& dataset) {
  if (config.word("normalise_features") != "auto") {
    return config.word("normalise_features") == "rows";
  }
  const DatasetEntry* entry = find_dataset_entry(dataset);
  return entry != nullptr && entry->normalise_features;
}

Features normalise_rows(const Features& features) {
  if (features.values.empty()) return features;
  float smallest = *std::ranges::min_element(features.values);
  if (features.is_sparse()) smallest = std::min(smallest, 0.0f);
  // What is not there is 0; if that is no longer the smallest, all entries are there.
  const bool stays_sparse = features.is_sparse() && smallest == 0;
  Features result = stays_sparse ? features : features.to_dense();
  for (std::int64_t row = 0; row < result.num_rows; ++row) {
    const std::size_t begin = at(stays_sparse ? result.offsets[at(row)] : row * result.num_columns);
    const std::size_t end =
        at(stays_sparse ? result.offsets[at(row + 1)] : (row + 1) * result.num_columns);
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) sum += result.values[i] -= smallest;
    for (std::size_t i = begin; i < end; ++i) {
      result.values[i] = static_cast<float>(result.values[i] / std::max(sum, 1.0));
    }
  }
  return result;
}

TrainingData make_training_data(const Dataset& dataset, const Config& config) {
  // Fewer nodes are in the cache together, whatever their order.
  constexpr NodeId kManyNodes = 10'000;
  Dataset data = dataset.graph.num_nodes() < kManyNodes
                     ? dataset
                     : reordered(dataset, locality_order(dataset.graph));
  if (normalises_rows(config, dataset.name)) data.features = normalise_rows(data.features);
  return {nn::Input(ops::Graph(std::move(data.graph)), data.features), std::move(data.labels),
          data.num_classes, std::move(data.splits)};
}

}  // namespace dsnn
