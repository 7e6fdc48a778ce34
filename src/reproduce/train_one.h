#pragma once

#include "dsnn/train/train.h"

#include "reproduce/cell.h"

namespace dsnn::reproduce {

/// Trains the cell's network with a configuration, or the ensemble that the cell is; `options` says
/// where and how. The scores of an ensemble are those of the averaged probabilities, its epochs and
/// seconds the sums over its members.
TrainResult train_one(const Cell& cell, const RunConfig& config, const Dataset& dataset,
                      TrainOptions options);

}  // namespace dsnn::reproduce
