#pragma once

#include "dsnn/engine/device.h"
#include "dsnn/engine/session.h"
#include "dsnn/nn/weights.h"

#include "kernels/epoch.h"
#include "kernels/gpu.h"
#include "train/split_task.h"

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace dsnn {

/// What a training changes: one value per weight.
struct TrainingArrays {
  std::span<float> weights, first_moments, second_moments, best;
};

/// Epochs of a training on a GPU. They are recorded once and replayed; the host looks at the
/// results of several epochs at a time. The epoch that is the last one and the best one are found
/// on the GPU, so that they do not depend on when the host looks. The evaluation of an epoch runs
/// at the same time as the training step of the next one.
class GpuEpochs {
 public:
  struct Plan {
    kernels::EpochRules rules;
    std::array<std::vector<std::int64_t>, kernels::kScoredSets> sets;
    std::span<const std::int64_t> labels;
    std::int64_t classes = 0;
    /// Of each piece of the weights.
    struct Update {
      std::int64_t begin, end;
      kernels::AdamStep step;
    };
    std::vector<Update> updates;
    bool has_evaluation = false;  ///< a program of its own; else that of training serves for both
  };

  GpuEpochs(const kernels::Gpu& gpu, std::int64_t num_weights, Plan plan);

  std::span<const float> weights() const { return {weights_.data(), weights_.size()}; }
  std::span<float> gradients() const { return {gradients_.data(), gradients_.size()}; }

  /// The sessions, whose weights are these; `loss` and `logits` are values of theirs.
  void set_sessions(engine::Session<float>& training, engine::Value loss,
                    engine::Session<float>& evaluation, engine::Value logits);

  /// Continues from here.
  void upload(const TrainingArrays& arrays, const kernels::EpochState& state);
  void download(const TrainingArrays& arrays) const;

  /// At least one epoch and at most this many, or fewer if the training ends: their records.
  /// `is_recorded` is for tests: without, every epoch is launched step by step.
  std::vector<EpochRecord> run(std::int64_t most, bool is_recorded = true);
  /// After run().
  const kernels::EpochState& state() const { return state_; }

 private:
  /// Starts the work of this number of epochs.
  void enqueue(std::int64_t count);
  /// `recording`, made on first use, of `count` epochs.
  const std::shared_ptr<kernels::Recording>& recorded(
      std::shared_ptr<kernels::Recording>& recording, std::int64_t count);
  std::vector<EpochRecord> read(std::int64_t first);
  Scores scores_of(int set, std::int64_t slot, const kernels::EpochResult& result) const;

  const kernels::Gpu& gpu_;
  Plan plan_;
  kernels::GpuArray<float> weights_, gradients_, first_moments_, second_moments_, best_;
  kernels::GpuArray<std::int64_t> nodes_, labels_;
  kernels::GpuArray<kernels::EpochResult> results_;
  kernels::GpuArray<kernels::EpochState> states_;
  kernels::GpuArray<int> counts_, num_bad_;
  kernels::GpuArray<double> margins_;
  kernels::GpuArray<std::uint8_t> step_of_;
  kernels::WeightUpdates updates_;
  kernels::ScoredNodes scored_;
  kernels::EpochState state_;

  engine::Session<float>* training_ = nullptr;
  engine::Session<float>* evaluation_ = nullptr;
  engine::Value loss_, logits_;
  std::shared_ptr<kernels::Recording> recording_, long_recording_;  // of one epoch, of several
  bool is_warm_ = false;
  double epoch_seconds_ = 0;

  std::vector<int> read_counts_;
  std::vector<double> read_margins_;
};

}  // namespace dsnn
