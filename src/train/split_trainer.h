#pragma once

#include "dsnn/nn/model.h"
#include "dsnn/train/train.h"

#include "nn/weights.h"
#include "train/training_data.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace dsnn {

/// One line of metrics.csv.
struct EpochRecord {
  std::int64_t epoch = 0;
  double train_loss = 0;  ///< of the training step, with dropout
  Scores train, validation, test;
};

/// Trains a model on one split, an epoch at a time.
class DSNN_API SplitTrainer {
 public:
  SplitTrainer(const TrainingData& data, const Split& split, int number, const std::string& model,
               const Config& config, std::uint64_t seed);

  /// One training step and one evaluation; not after is_finished(). A loss or an output that is not
  /// finite ends the training, and its epoch does not count: result().failure says where it comes
  /// from. The best epoch is the last one if no node validates.
  void run_epoch();
  bool is_finished() const;

  const SplitResult& result() const { return result_; }
  /// Of all epochs so far.
  const std::vector<EpochRecord>& records() const { return records_; }
  const nn::Model& model() const { return *model_; }
  /// The weights of the best epoch, [size].
  const at::Tensor& best_weights() const { return best_weights_; }

  void add_seconds(double seconds) { result_.seconds += seconds; }

  /// All that another trainer needs to go on as this one would. The fingerprint tells runs apart.
  void save(const std::filesystem::path& path, const std::string& fingerprint) const;
  /// Throws Error if the file is damaged or of another run.
  void restore(const std::filesystem::path& path, const std::string& fingerprint);

 private:
  void step();
  void evaluate();
  double decay_of(nn::WeightGroup group) const;
  /// Ends the training: `what` is not finite. Finds out where the first such number comes from.
  void stop_non_finite(const std::string& what, const nn::Pass& pass);
  bool has_finite_scores(const at::Tensor& logits) const;

  const TrainingData& data_;
  const Config& config_;
  std::uint64_t seed_;
  std::unique_ptr<nn::Model> model_;
  at::Tensor labels_, train_nodes_;
  std::vector<std::int64_t> train_, validation_, test_;
  bool reuses_evaluation_;
  at::Tensor next_logits_;  ///< of the last evaluation, with their history, if a step can use them
  at::Tensor first_moments_, second_moments_, best_weights_;
  std::vector<EpochRecord> records_;
  SplitResult result_;
};

}  // namespace dsnn
