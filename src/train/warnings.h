#pragma once

#include "dsnn/data/dataset.h"
#include "dsnn/train/train.h"

namespace dsnn {

/// The loss of guessing and the share of the most frequent class among the training nodes of a
/// split.
LearningSigns signs_of_classes(const Dataset& dataset, int split);

}  // namespace dsnn
