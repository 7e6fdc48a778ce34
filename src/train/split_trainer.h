#pragma once

#include "dsnn/engine/device.h"
#include "dsnn/engine/session.h"
#include "dsnn/nn/model.h"
#include "dsnn/train/train.h"

#include "train/gpu_epochs.h"
#include "train/split_task.h"
#include "train/thread_choice.h"
#include "train/training_data.h"
#include "util/internal_api.h"

#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace dsnn {

/// The two programs of a model on one split: a training step (with the gradient of the loss) and an
/// evaluation. Where both have the same outputs, the first serves for both.
struct TrainingPrograms {
  engine::Program training;
  engine::Value loss, training_outputs;
  engine::Program evaluation;
  engine::Value outputs;

  TrainingPrograms(const nn::Model& model, const SplitTask& task, bool has_evaluation);
};

/// Trains a model on one split, an epoch at a time.
class DSNN_INTERNAL_API SplitTrainer {
 public:
  SplitTrainer(std::unique_ptr<SplitTask> task, int number, const std::string& model,
               const Config& config, std::uint64_t seed, engine::Device device);
  /// For the classes of nodes.
  SplitTrainer(const TrainingData& data, int number, const std::string& model, const Config& config,
               std::uint64_t seed, engine::Device device);

  /// One training step and one evaluation, on at most this many threads of the device; not after
  /// is_finished(). On a GPU, usually several epochs, but at most `most`. A loss or an output that
  /// is not finite ends the training, and its epoch does not count: result().failure says where it
  /// comes from. Without validation nodes, the best epoch is the last one.
  void run_epoch(int threads = 1, std::int64_t most = std::numeric_limits<std::int64_t>::max());
  /// For tests: whether epochs on a GPU are recorded and replayed, as they are by default.
  void set_recorded(bool is_recorded) { is_recorded_ = is_recorded; }
  bool is_finished() const;

  const SplitResult& result() const { return result_; }
  /// Records of all epochs so far.
  const std::vector<EpochRecord>& records() const { return records_; }
  const nn::Model& model() const { return *model_; }
  const std::vector<float>& weights() const { return weights_; }
  /// A weight at the best epoch.
  std::span<const float> best_weights(const engine::Weight& weight) const;
  const TrainingPrograms& programs() const { return programs_; }
  /// Indicators of what was learned, so far.
  LearningSigns signs() const;

  /// Everything that another trainer needs to continue identically. The fingerprint identifies the
  /// run.
  void save(const std::filesystem::path& path, const std::string& fingerprint) const;
  /// Throws Error if the file is damaged or of another run.
  void restore(const std::filesystem::path& path, const std::string& fingerprint);

 private:
  void run_on_gpu(std::int64_t most);
  std::unique_ptr<GpuEpochs> make_gpu_epochs() const;
  /// Where the sessions' weights are.
  engine::Memory memory() const { return gpu_ ? engine::Memory::kDevice : engine::Memory::kHost; }
  TrainingArrays arrays();
  void step();
  void evaluate();
  void take_best(const EpochRecord& record);
  kernels::AdamStep adam(nn::WeightGroup group) const;
  double decay_of(nn::WeightGroup group) const;
  /// Ends the training because `what` is not finite. Locates the first such value.
  void stop_non_finite(const std::string& what, engine::Session<float>& session,
                       std::uint64_t pass_seed);

  const std::unique_ptr<SplitTask> task_;
  const Config& config_;
  std::uint64_t seed_;
  std::unique_ptr<nn::Model> model_;
  bool has_evaluation_;
  TrainingPrograms programs_;
  engine::Device device_;
  std::vector<float> weights_, gradients_, first_moments_, second_moments_, best_weights_;
  bool is_recorded_ = true;
  std::unique_ptr<GpuEpochs> gpu_;  ///< or null; the weights of its sessions are there
  engine::Session<float> training_;
  std::optional<engine::Session<float>> evaluation_;
  bool is_evaluated_ = false;  ///< whether the training program contains the last evaluation
  ThreadChoice threads_;
  std::vector<EpochRecord> records_;
  SplitResult result_;
};

}  // namespace dsnn
