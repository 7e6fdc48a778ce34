#pragma once

#include "dsnn/data/dataset.h"
#include "dsnn/train/train.h"

#include <cstdint>
#include <vector>

namespace dsnn {

/// The loss of guessing and the share of the most frequent class among the training nodes of a
/// split.
LearningSigns signs_of_classes(const Dataset& dataset, int split);
/// The same from the number of training nodes of each class.
LearningSigns signs_of_counts(const std::vector<std::int64_t>& counts);

}  // namespace dsnn
