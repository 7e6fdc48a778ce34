#pragma once

#include "kernels/adam.h"
#include "kernels/gpu.h"

#include <array>
#include <cstdint>

// What an epoch does besides the programs, on a GPU: nothing returns to the host between epochs.
// Every function only starts work, reads what it needs from the GPU's memory, and can be recorded.
namespace dsnn::kernels {

/// The sets of nodes that are scored: training, validation, test.
inline constexpr int kScoredSets = 3;

/// What a training does not change.
struct EpochRules {
  std::uint64_t seed = 0;        ///< the seed of pass t is derived from it and t
  bool selects_by_loss = false;  ///< of validation; else by accuracy
  std::int64_t patience = 0;
};

/// The progress of a training, in the memory of a GPU.
struct EpochState {
  std::int64_t epochs = 0;  ///< done
  std::int64_t best_epoch = 0;
  double best_loss = 0, best_accuracy = 0;  ///< of validation
  std::int64_t is_best = 0;                 ///< whether the last epoch is
  std::int64_t is_over = 0;                 ///< nothing changes any more
  std::int64_t failure = 0;                 ///< 1: the loss, 2: the scores are not finite
};

/// The results of an epoch.
struct EpochResult {
  double train_loss = 0;
  std::array<double, kScoredSets> losses{};  ///< means
};

/// The scored nodes and where their results go, in the memory of a GPU. Results of epoch t are in
/// slot t % slots.
struct ScoredNodes {
  std::int64_t classes = 0;
  std::array<std::int64_t, kScoredSets> sizes{};
  const std::int64_t* nodes = nullptr;   // the sets, one after the other
  const std::int64_t* labels = nullptr;  // of those nodes
  std::int64_t slots = 1;
  EpochResult* results = nullptr;  // [slots]
  int* counts = nullptr;           // [slots, sets, 3, classes]: hits, predictions, labels
  double* margins = nullptr;  // [slots, nodes] of class 1 over class 0, for two classes; or null
  int* num_bad = nullptr;     // scored nodes with a logit that is not finite; 0 between epochs

  std::int64_t count() const { return sizes[0] + sizes[1] + sizes[2]; }
};

/// How the weights of a training are updated: by one of a few steps each.
struct WeightUpdates {
  static constexpr int kMostSteps = 4;
  static constexpr std::uint8_t kFixed = 255;
  std::array<AdamStep, kMostSteps> steps;
  std::int64_t count = 0;
  const std::uint8_t* step_of = nullptr;  ///< [count], or kFixed
  const float* gradients = nullptr;       ///< [count], as all of these
  float *weights = nullptr, *first_moments = nullptr, *second_moments = nullptr;
};

/// The seed of the next pass.
DSNN_INTERNAL_API void start_epoch(const Gpu& gpu, const EpochRules& rules,
                                   const EpochState* state);
/// Notes the loss of the training step. adam_step() for the next epoch, and the seed of the pass
/// after it, unless the training is over; a loss that is not finite ends it.
DSNN_INTERNAL_API void update_weights(const Gpu& gpu, const EpochRules& rules,
                                      const WeightUpdates& updates, const float* loss,
                                      const ScoredNodes& scored, EpochState* state);
/// The scores of the epoch, whether it is the best so far and whether it is the last. The counts of
/// its slot are 0 before, and those of the next one after.
DSNN_INTERNAL_API void finish_epoch(const Gpu& gpu, const EpochRules& rules, const float* logits,
                                    const ScoredNodes& scored, EpochState* state);
/// best = weights, if the last epoch is the best.
DSNN_INTERNAL_API void keep_best(const Gpu& gpu, std::int64_t size, const float* weights,
                                 float* best, EpochState* state);

}  // namespace dsnn::kernels
