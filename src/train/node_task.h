#pragma once

#include "train/split_task.h"
#include "train/training_data.h"

#include <optional>
#include <vector>

namespace dsnn {

/// The classes of nodes.
class DSNN_INTERNAL_API NodeTask final : public SplitTask {
 public:
  /// The data must outlive it. Of a part of a graph, it is collective, as are scores and
  /// has_finite_scores().
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
  std::int64_t num_validation() const override { return num_validation_; }
  std::int64_t num_test() const override { return num_test_; }
  LearningSigns signs() const override { return signs_; }
  Ranks* ranks() const override;

 private:
  const std::shared_ptr<const Halo>& halo() const { return data_.prepared.input.halo(); }
  engine::Value append_network(const nn::Model& model, const nn::Pass& pass) const;
  Scores score(std::span<const float> outputs, const std::vector<std::int64_t>& nodes,
               std::int64_t num_nodes) const;
  void add_up(Ranks& ranks);

  const TrainingData& data_;
  std::vector<std::int64_t> train_, validation_, test_;  // of this part
  std::int64_t num_train_, num_validation_, num_test_;   // of all
  LearningSigns signs_;
};

}  // namespace dsnn
