#pragma once

#include "dsnn/config/config.h"
#include "dsnn/data/feature_preparation.h"
#include "dsnn/engine/program.h"
#include "dsnn/engine/sparse_matrix.h"
#include "dsnn/nn/model.h"
#include "dsnn/parts/ranks.h"
#include "dsnn/train/train.h"

#include "kernels/executor.h"
#include "util/internal_api.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace dsnn {

/// One line of metrics.csv.
struct EpochRecord {
  std::int64_t epoch = 0;
  double train_loss = 0;  ///< of the training step, with dropout
  Scores train, validation, test;
};

/// What a model is trained for on one split: the part of its programs behind the network, the loss,
/// and the scores of its outputs. The trainer (split_trainer.h) knows nothing else about a task.
class DSNN_INTERNAL_API SplitTask {
 public:
  virtual ~SplitTask();
  SplitTask(const SplitTask&) = delete;
  SplitTask& operator=(const SplitTask&) = delete;

  /// A new model, with the weights of everything behind it. Called once, before the next two.
  virtual std::unique_ptr<nn::Model> make_model(const std::string& name, const Config& config,
                                                std::uint64_t seed) = 0;

  struct Training {
    engine::Value loss, outputs;
  };
  virtual Training append_training(const nn::Model& model, const nn::Pass& pass) const = 0;
  virtual engine::Value append_evaluation(const nn::Model& model, const nn::Pass& pass) const = 0;
  /// Whether, without dropout, the outputs of training are those of an evaluation.
  virtual bool shares_outputs() const = 0;

  /// Called before the forward pass of a training step; the seed is that of its epoch.
  virtual void begin_step(std::uint64_t /*seed*/, const kernels::Executor& /*executor*/) {}
  /// The matrix whose entries begin_step() replaces, or null: copies of them become outdated.
  virtual const engine::SparseMatrix* replaced_matrix() const { return nullptr; }
  /// Scores the outputs of a training step, if an evaluation does not score training.
  virtual void score_step(std::span<const float> /*outputs*/, EpochRecord& /*record*/) const {}

  /// Of the outputs of an evaluation.
  virtual bool has_finite_scores(std::span<const float> outputs) const = 0;
  virtual void score(std::span<const float> outputs, EpochRecord& record) const = 0;

  /// What a GPU needs to score an evaluation itself; nothing of tasks that are no classes of nodes.
  struct NodeSets {
    std::span<const std::int64_t> train, validation, test, labels;
    std::int64_t num_classes = 0;
  };
  virtual std::optional<NodeSets> node_sets() const { return std::nullopt; }

  /// The ranks that train on parts of one graph, or null. Then losses and gradients are shares of
  /// this rank's part, and scores are those of all parts.
  virtual Ranks* ranks() const { return nullptr; }

  /// Numbers of scored nodes or pairs.
  virtual std::int64_t num_validation() const = 0;
  virtual std::int64_t num_test() const = 0;
  /// The loss of guessing, and the most frequent class.
  virtual LearningSigns signs() const = 0;
  /// The preparation of features, if it is not that of all splits.
  virtual const FeaturePreparation* own_preparation() const { return nullptr; }

 protected:
  SplitTask() = default;
};

}  // namespace dsnn
