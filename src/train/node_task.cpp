#include "train/node_task.h"

#include "dsnn/engine/operators/linear.h"

#include "train/warnings.h"
#include "util/index.h"

#include <algorithm>
#include <cmath>

namespace dsnn {

SplitTask::~SplitTask() = default;

NodeTask::NodeTask(const TrainingData& data, int split)
    : data_(data),
      split_(split),
      train_(data.labelled_nodes(data.dataset.splits[at(split)].train)),
      validation_(data.labelled_nodes(data.dataset.splits[at(split)].validation)),
      test_(data.labelled_nodes(data.dataset.splits[at(split)].test)) {}

std::unique_ptr<nn::Model> NodeTask::make_model(const std::string& name, const Config& config,
                                                std::uint64_t seed) {
  return nn::make_model(name, config,
                        {data_.prepared.input.num_features(), data_.dataset.num_classes}, seed);
}

SplitTask::Training NodeTask::append_training(const nn::Model& model, const nn::Pass& pass) const {
  const engine::Value logits = model.forward(data_.prepared.input, pass);
  return {cross_entropy(logits, data_.labels, train_), logits};
}

engine::Value NodeTask::append_evaluation(const nn::Model& model, const nn::Pass& pass) const {
  return model.forward(data_.prepared.input, pass);
}

bool NodeTask::has_finite_scores(std::span<const float> outputs) const {
  const std::size_t classes = at(data_.dataset.num_classes);
  const auto is_finite = [&](std::int64_t node) {
    return std::ranges::all_of(outputs.subspan(at(node) * classes, classes),
                               [](float z) { return std::isfinite(z); });
  };
  return std::ranges::all_of(train_, is_finite) && std::ranges::all_of(validation_, is_finite) &&
         std::ranges::all_of(test_, is_finite);
}

void NodeTask::score(std::span<const float> outputs, EpochRecord& record) const {
  const auto of = [&](const std::vector<std::int64_t>& nodes) {
    return dsnn::score(outputs, data_.dataset.num_classes, data_.labels, nodes);
  };
  record.train = of(train_);
  record.validation = of(validation_);
  record.test = of(test_);
}

LearningSigns NodeTask::signs() const { return signs_of_classes(data_.dataset, split_); }

}  // namespace dsnn
