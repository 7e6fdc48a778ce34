#pragma once

#include "dsnn/config/config.h"
#include "dsnn/export.h"
#include "dsnn/nn/model.h"
#include "dsnn/parts/part_program.h"
#include "dsnn/parts/partition.h"

#include <cstdint>
#include <string>

namespace dsnn {

/// What all ranks together send in an epoch of training, in bytes.
struct EpochTraffic {
  std::int64_t rows = 0;  ///< rows of ghosts and their gradients
  std::int64_t sums = 0;  ///< sums over all ranks: of the loss, the weights' gradients and scores
};

/// Exact: as Ranks::bytes_sent() counts it. `num_scored` is the number of training, validation and
/// test nodes.
DSNN_API EpochTraffic epoch_traffic(const std::string& model, const Config& config,
                                    const nn::ModelShape& shape, const PartitionCost& cost,
                                    int num_parts, std::int64_t num_scored);

}  // namespace dsnn
