#pragma once

#include "dsnn/data/link_examples.h"
#include "dsnn/nn/decoder.h"

#include "train/split_task.h"
#include "train/training_data.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dsnn {

/// The model and the decoder of a link task: the decoder's weights are the model's last ones.
struct LinkModel {
  std::unique_ptr<nn::Model> encoder;
  std::unique_ptr<nn::Decoder> decoder;
};
DSNN_INTERNAL_API LinkModel make_link_model(const std::string& name, const Config& config,
                                            const nn::Input& input, std::uint64_t seed);

/// The number of logits of a pair: one for two classes.
DSNN_INTERNAL_API std::int64_t num_outputs(LinkQuestion question);

/// The matrix of pairs of the dataset's nodes, numbered as the input numbers them; the entry of
/// each is returned in `places`.
DSNN_INTERNAL_API engine::SparseMatrix pair_matrix(const PreparedInput& prepared,
                                                   const std::vector<Arc>& pairs,
                                                   std::vector<std::int64_t>& places);

/// The graph that the messages of a split run on, with their features: the dataset without all
/// other arcs. Features that are degrees are those of this graph.
DSNN_INTERNAL_API Dataset message_dataset(const Dataset& dataset, const std::vector<Arc>& messages);

/// Arcs of a graph, for one split.
class DSNN_INTERNAL_API LinkTask final : public SplitTask {
 public:
  /// Does not need the dataset afterwards.
  LinkTask(const Dataset& dataset, const Config& config, int split);

  const PreparedInput& prepared() const { return *prepared_; }

  std::unique_ptr<nn::Model> make_model(const std::string& name, const Config& config,
                                        std::uint64_t seed) override;
  Training append_training(const nn::Model& model, const nn::Pass& pass) const override;
  engine::Value append_evaluation(const nn::Model& model, const nn::Pass& pass) const override;
  bool shares_outputs() const override { return false; }
  void begin_step(std::uint64_t seed, const kernels::Executor& executor) override;
  const engine::SparseMatrix* replaced_matrix() const override {
    return drawn_ ? &*drawn_ : nullptr;
  }
  void score_step(std::span<const float> outputs, EpochRecord& record) const override;
  bool has_finite_scores(std::span<const float> outputs) const override;
  void score(std::span<const float> outputs, EpochRecord& record) const override;
  std::int64_t num_validation() const override { return std::ssize(validation_labels_); }
  std::int64_t num_test() const override { return std::ssize(test_labels_); }
  LearningSigns signs() const override;
  /// Fitted on the message graph.
  const FeaturePreparation* own_preparation() const override { return &preparation_; }

 private:
  /// Pairs without an arc in the message graph.
  engine::SparseMatrix drawn_pairs(const std::vector<Arc>& pairs) const;
  /// The logits of some of the evaluated pairs, in their order.
  std::vector<float> logits_of(std::span<const float> outputs, std::size_t begin,
                               std::size_t count) const;

  LinkQuestion question_;
  std::string metric_;
  FeaturePreparation preparation_;
  std::optional<PreparedInput> prepared_;
  std::unique_ptr<nn::Decoder> decoder_;

  // Training: the fixed pairs, then those drawn in each epoch.
  std::vector<std::int64_t> train_labels_;  ///< in the order of the entries
  std::int64_t num_drawn_ = 0;
  std::optional<engine::SparseMatrix> train_, drawn_;
  // Validation pairs, then test pairs, in one matrix; the entry of each.
  std::vector<std::int64_t> validation_labels_, test_labels_, places_;
  std::optional<engine::SparseMatrix> evaluated_;
};

}  // namespace dsnn
