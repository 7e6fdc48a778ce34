#include "train/node_task.h"

#include "dsnn/engine/operators/linear.h"
#include "dsnn/parts/halo.h"
#include "dsnn/parts/part_program.h"

#include "train/class_counts.h"
#include "train/part_scores.h"
#include "train/warnings.h"
#include "util/index.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace dsnn {

SplitTask::~SplitTask() = default;

NodeTask::NodeTask(const TrainingData& data, int split)
    : data_(data),
      train_(data.labelled_nodes(data.dataset.splits[at(split)].train)),
      validation_(data.labelled_nodes(data.dataset.splits[at(split)].validation)),
      test_(data.labelled_nodes(data.dataset.splits[at(split)].test)),
      num_train_(std::ssize(train_)),
      num_validation_(std::ssize(validation_)),
      num_test_(std::ssize(test_)),
      signs_(signs_of_classes(data.dataset, split)) {
  if (!halo()) return;
  add_up(halo()->ranks());
  if (num_train_ == 0) {
    throw AgreedError(
        fmt::format("{}: split {} has no labelled training nodes", data.dataset.name, split));
  }
}

void NodeTask::add_up(Ranks& ranks) {
  std::vector<std::int64_t> counts(at(data_.dataset.num_classes), 0);
  for (const std::int64_t node : train_) ++counts[at(data_.labels[at(node)])];
  ranks.sum(std::span(counts));
  signs_ = signs_of_counts(counts);
  for (std::int64_t* count : {&num_train_, &num_validation_, &num_test_}) {
    *count = ranks.sum(*count);
  }
}

Ranks* NodeTask::ranks() const { return halo() ? &halo()->ranks() : nullptr; }

std::unique_ptr<nn::Model> NodeTask::make_model(const std::string& name, const Config& config,
                                                std::uint64_t seed) {
  return nn::make_model(name, config,
                        {data_.prepared.input.num_features(), data_.dataset.num_classes}, seed);
}

engine::Value NodeTask::append_network(const nn::Model& model, const nn::Pass& pass) const {
  if (halo()) pass.program.set_rewriter(part_rewriter(halo()));
  return model.forward(data_.prepared.input, pass);
}

SplitTask::Training NodeTask::append_training(const nn::Model& model, const nn::Pass& pass) const {
  const engine::Value logits = append_network(model, pass);
  return {cross_entropy(logits, data_.labels, train_, num_train_), logits};
}

engine::Value NodeTask::append_evaluation(const nn::Model& model, const nn::Pass& pass) const {
  return append_network(model, pass);
}

bool NodeTask::has_finite_scores(std::span<const float> outputs) const {
  const std::size_t classes = at(data_.dataset.num_classes);
  const auto is_finite = [&](std::int64_t node) {
    return std::ranges::all_of(outputs.subspan(at(node) * classes, classes),
                               [](float z) { return std::isfinite(z); });
  };
  const bool are_finite = std::ranges::all_of(train_, is_finite) &&
                          std::ranges::all_of(validation_, is_finite) &&
                          std::ranges::all_of(test_, is_finite);
  return halo() ? !halo()->ranks().any(!are_finite) : are_finite;
}

void NodeTask::score(std::span<const float> outputs, EpochRecord& record) const {
  record.train = score(outputs, train_, num_train_);
  record.validation = score(outputs, validation_, num_validation_);
  record.test = score(outputs, test_, num_test_);
}

Scores NodeTask::score(std::span<const float> outputs, const std::vector<std::int64_t>& nodes,
                       std::int64_t num_nodes) const {
  ClassCounts counts = count_classes(outputs, data_.dataset.num_classes, data_.labels, nodes);
  if (halo()) dsnn::add_up(counts, halo()->ranks());
  return std::move(counts).scores(at(num_nodes));
}

}  // namespace dsnn
