#pragma once

#include "dsnn/data/dataset.h"
#include "dsnn/train/train.h"

#include "util/internal_api.h"

#include <cstdint>
#include <string>

namespace dsnn {

/// The estimated cost of a training.
struct TrainEstimate {
  std::int64_t num_weights = 0;
  double shared_bytes = 0;  ///< graph, features and values derived from them, in this process
  double split_bytes = 0;   ///< for each split in training: the arena, weights and their moments
  double gpu_bytes = 0;     ///< on a GPU: split_bytes, the graph, and the features in both orders
  double epoch_seconds = 0;
  std::string training_program,
      evaluation_program;  ///< as text; the second is empty if there is none
};

/// Builds the programs of the first split and plans their memory; then, if `seconds` is positive,
/// trains for at most this long to measure the time per epoch.
DSNN_INTERNAL_API TrainEstimate estimate_training(const Dataset& dataset,
                                                  const TrainOptions& options, double max_seconds);

}  // namespace dsnn
