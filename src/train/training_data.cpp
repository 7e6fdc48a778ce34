#include "train/training_data.h"

#include "dsnn/data/splits.h"
#include "dsnn/nn/model.h"
#include "dsnn/parts/partition.h"
#include "dsnn/train/train.h"
#include "dsnn/util/error.h"

#include "data/check_dataset.h"
#include "data/reorder.h"
#include "train/link_config.h"
#include "util/index.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace dsnn {
namespace {

[[noreturn]] void fail(const Dataset& dataset, const std::string& what) {
  throw Error(fmt::format("{}: {}", dataset.name, what));
}

/// Features, if any, of every node.
void check_rows(const Dataset& dataset) {
  check_features(dataset.features);
  if (!dataset.features.empty() && dataset.features.num_rows != dataset.graph.num_nodes()) {
    fail(dataset, fmt::format("has features for {} nodes, expected {}", dataset.features.num_rows,
                              dataset.graph.num_nodes()));
  }
}

void check_numbers(const Dataset& dataset, const std::vector<int>& splits, int count) {
  for (const int split : splits) {
    if (split >= 0 && split < count) continue;
    fail(dataset, fmt::format("has splits 0 to {}, but split {} was requested", count - 1, split));
  }
}

/// Degrees of the nodes of a part in the whole graph.
std::vector<NodeId> degrees_of(const DirectedGraph& graph, const Halo& halo,
                               NodeId (DirectedGraph::*degree)(NodeId) const) {
  std::vector<double> degrees;
  for (NodeId u = 0; u < graph.num_nodes(); ++u) degrees.push_back((graph.*degree)(u));
  halo.complete(degrees);
  return {degrees.begin(), degrees.end()};
}

}  // namespace

FeatureScale feature_scale(const std::string& word) {
  if (word == "standard") return FeatureScale::kStandard;
  if (word == "rows") return FeatureScale::kRows;
  return word == "none" ? FeatureScale::kNone : FeatureScale::kAuto;
}

DegreeColumns degree_columns(const std::string& word) {
  if (word == "yes") return DegreeColumns::kYes;
  return word == "no" ? DegreeColumns::kNo : DegreeColumns::kAuto;
}

void check_trainable(const Dataset& dataset, const std::vector<int>& splits) {
  if (std::ranges::none_of(dataset.labels, [](std::int64_t label) { return label >= 0; })) {
    fail(dataset, "has no labels, expected labels for training");
  }
  check_labels(dataset);
  check_rows(dataset);
  if (dataset.splits.empty()) fail(dataset, "has no splits (draw them with --split 48/32/20)");
  check_numbers(dataset, splits, static_cast<int>(dataset.splits.size()));
  for (const SplitProblem& problem : check_splits(dataset, splits)) {
    if (problem.prevents_training) fail(dataset, problem.text);
  }
}

void check_trainable(const Dataset& dataset, const Config& config, const std::vector<int>& splits) {
  if (task_of(config) == TaskKind::kNodes) return check_trainable(dataset, splits);
  check_rows(dataset);
  link_metric(config);
  check_numbers(dataset, splits, num_link_splits(config, dataset));
}

void check_trainable_part(const Dataset& part, const std::string& model, const Config& config,
                          const std::vector<int>& splits) {
  if (task_of(config) != TaskKind::kNodes) {
    fail(part, "is in parts; links are trained on whole graphs only");
  }
  const std::string& reason = nn::find_model(model).needs_whole_graph;
  if (!reason.empty()) fail(part, fmt::format("is in parts, but {} cannot: {}", model, reason));
  if (part.labels.empty()) fail(part, "has no labels, expected labels for training");
  check_labels(part);
  check_rows(part);
  if (part.splits.empty()) fail(part, "has no splits (draw them with --split 48/32/20)");
  check_numbers(part, splits, static_cast<int>(part.splits.size()));
}

int num_splits(const Dataset& dataset, const Config& config) {
  return task_of(config) == TaskKind::kNodes ? static_cast<int>(dataset.splits.size())
                                             : num_link_splits(config, dataset);
}

FeaturePreparation fit_preparation(const Dataset& dataset, const Config& config) {
  const FeaturePreparation result =
      FeaturePreparation::fit(dataset, feature_scale(config.word("normalise_features")),
                              degree_columns(config.word("degree_features")));
  if (result.num_prepared(dataset.features.num_columns) == 0) fail_without_features(dataset);
  return result;
}

void fail_without_features(const Dataset& dataset) {
  fail(dataset, "has no features (--degree-features yes adds node degrees)");
}

PreparedInput prepare_input(const Dataset& dataset, const Features& features,
                            const FeaturePreparation& preparation,
                            std::shared_ptr<const Halo> halo) {
  const DirectedGraph& graph = dataset.graph;
  if (halo) {
    const std::vector<NodeId> out = degrees_of(graph, *halo, &DirectedGraph::out_degree);
    const std::vector<NodeId> in = degrees_of(graph, *halo, &DirectedGraph::in_degree);
    const Features prepared =
        preparation.is_identity() ? features : preparation.apply(features, out, in);
    return {nn::Input(engine::Graph(graph), prepared, std::move(halo)), {}};
  }
  std::vector<NodeId> order = input_order(graph);
  const Features* seen = &features;
  Features prepared, ordered;
  if (!preparation.is_identity()) {
    prepared = preparation.apply(graph, features);
    seen = &prepared;
  }
  if (order.empty()) return {nn::Input(engine::Graph(graph), *seen), {}};
  ordered = reordered(*seen, order);
  prepared = {};
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

TrainingData make_training_data(const Dataset& dataset, const FeaturePreparation& preparation,
                                std::shared_ptr<const Halo> halo) {
  TrainingData data = {
      dataset, prepare_input(dataset, dataset.features, preparation, std::move(halo)), {}};
  for (std::size_t i = 0; i < dataset.labels.size(); ++i) {
    data.labels.push_back(dataset.labels[at(data.prepared.node(i))]);
  }
  return data;
}

}  // namespace dsnn
