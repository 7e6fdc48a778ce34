#pragma once

#include "train/split_task.h"
#include "train/training_data.h"

#include <optional>
#include <vector>

namespace dsnn {

/// The classes of nodes.
class DSNN_INTERNAL_API NodeTask final : public SplitTask {
 public:
  /// The data must outlive it.
  NodeTask(const TrainingData& data, int split);

  std::unique_ptr<nn::Model> make_model(const std::string& name, const Config& config,
                                        std::uint64_t seed) override;
  Training append_training(const nn::Model& model, const nn::Pass& pass) const override;
  engine::Value append_evaluation(const nn::Model& model, const nn::Pass& pass) const override;
  bool shares_outputs() const override { return true; }
  bool has_finite_scores(std::span<const float> outputs) const override;
  void score(std::span<const float> outputs, EpochRecord& record) const override;
  std::optional<NodeSets> node_sets() const override {
    return NodeSets{train_, validation_, test_, data_.labels, data_.dataset.num_classes};
  }
  std::int64_t num_validation() const override { return std::ssize(validation_); }
  std::int64_t num_test() const override { return std::ssize(test_); }
  LearningSigns signs() const override;

 private:
  const TrainingData& data_;
  int split_;
  std::vector<std::int64_t> train_, validation_, test_;
};

}  // namespace dsnn
