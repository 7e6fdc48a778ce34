#pragma once

#include "dsnn/train/train.h"

#include "train/split_trainer.h"
#include "train/training_data.h"

#include <vector>

namespace dsnn {

LearningSigns learning_signs(const std::vector<EpochRecord>& records, const TrainingData& data,
                             int split);

}  // namespace dsnn
