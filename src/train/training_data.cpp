#include "train/training_data.h"

#include "dsnn/data/splits.h"
#include "dsnn/train/train.h"
#include "dsnn/util/error.h"

#include "data/check_dataset.h"
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
  if (std::ranges::none_of(dataset.labels, [](std::int64_t label) { return label >= 0; })) {
    fail("has no labels, expected some to learn from");
  }
  check_labels(dataset);
  if (dataset.features.empty()) {
    fail("has no features (--features degrees makes some from the graph)");
  }
  check_features(dataset.features);
  if (dataset.features.num_rows != dataset.graph.num_nodes()) {
    fail(fmt::format("has features of {} nodes, expected {}", dataset.features.num_rows,
                     dataset.graph.num_nodes()));
  }
  if (dataset.splits.empty()) fail("has no splits (--split 48/32/20 draws some)");
  for (const int split : splits) {
    if (split < 0 || split >= std::ssize(dataset.splits)) {
      fail(fmt::format("has splits 0 to {}, but split {} is asked for", dataset.splits.size() - 1,
                       split));
    }
  }
  for (const SplitProblem& problem : check_splits(dataset, splits)) {
    if (problem.prevents_training) fail(problem.text);
  }
}

bool normalises_rows(const Config& config, const Dataset& dataset) {
  if (config.word("normalise_features") != "auto") {
    return config.word("normalise_features") == "rows";
  }
  return dataset.normalises_rows;
}

float smallest_number(const Features& features) {
  if (features.values.empty()) return 0;
  const float smallest = *std::ranges::min_element(features.values);
  return features.is_sparse() ? std::min(smallest, 0.0f) : smallest;
}

Features normalise_rows(const Features& features) {
  return normalise_rows(features, smallest_number(features));
}

Features normalise_rows(const Features& features, float smallest) {
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

PreparedInput prepare_input(const Dataset& dataset, const Features& features,
                            std::optional<float> smallest) {
  // Fewer nodes are in the cache together, whatever their order.
  constexpr NodeId kManyNodes = 10'000;
  const DirectedGraph& graph = dataset.graph;
  std::vector<NodeId> order =
      graph.num_nodes() < kManyNodes ? std::vector<NodeId>() : locality_order(graph);
  const Features* seen = &features;
  Features normalised, ordered;
  if (smallest) {
    normalised = normalise_rows(features, *smallest);
    seen = &normalised;
  }
  if (order.empty()) return {nn::Input(engine::Graph(graph), *seen), {}};
  ordered = reordered(*seen, order);
  normalised = {};
  return {nn::Input(engine::Graph(reordered(graph, order)), ordered), std::move(order)};
}

std::vector<std::int64_t> TrainingData::labelled_nodes(
    const std::vector<std::uint8_t>& mask) const {
  std::vector<std::int64_t> nodes;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (mask[at(prepared.node(i))] != 0 && labels[i] >= 0) {
      nodes.push_back(static_cast<std::int64_t>(i));
    }
  }
  return nodes;
}

TrainingData make_training_data(const Dataset& dataset, const Config& config) {
  std::optional<float> smallest;
  if (normalises_rows(config, dataset)) smallest = smallest_number(dataset.features);
  TrainingData data = {dataset, prepare_input(dataset, dataset.features, smallest), {}};
  for (std::size_t i = 0; i < dataset.labels.size(); ++i) {
    data.labels.push_back(dataset.labels[at(data.prepared.node(i))]);
  }
  return data;
}

}  // namespace dsnn
