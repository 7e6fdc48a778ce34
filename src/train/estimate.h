#pragma once

#include "dsnn/data/dataset.h"
#include "dsnn/train/train.h"

#include "util/internal_api.h"

#include <cstdint>
#include <string>

namespace dsnn {

/// What a training would be.
struct TrainEstimate {
  std::int64_t num_weights = 0;
  double shared_bytes = 0;  ///< graph, features and what the model makes of them, in this process
  double split_bytes = 0;   ///< for each split in training: the arena, weights and their moments
  double epoch_seconds = 0;
  std::string training_program,
      evaluation_program;  ///< as text; the second is empty if there is none
};

/// Makes the programs of the first split and plans their memory; then, if there are seconds for it,
/// trains for so long at most to tell how long an epoch takes.
DSNN_INTERNAL_API TrainEstimate estimate_training(const Dataset& dataset,
                                                  const TrainOptions& options, double max_seconds);

}  // namespace dsnn
