#pragma once

#include "dsnn/data/dataset.h"
#include "dsnn/export.h"
#include "dsnn/nn/config.h"
#include "dsnn/nn/model.h"

#include <cstdint>
#include <string>
#include <vector>

namespace dsnn {

/// What training on any split of a dataset shares. Many nodes are in an order of their own, that
/// of locality_order(), in which scores are the same.
struct TrainingData {
  nn::Input input;
  std::vector<std::int64_t> labels;
  std::int64_t num_classes;
  std::vector<Split> splits;
};

/// Throws Error if the dataset lacks labels, features, or one of the splits.
DSNN_API void check_trainable(const Dataset& dataset, const std::vector<int>& splits);

/// Whether a configuration asks for rows of features scaled to sums of 1.
DSNN_API bool normalises_rows(const Config& config, const std::string& dataset);

DSNN_API TrainingData make_training_data(const Dataset& dataset, const Config& config);

}  // namespace dsnn
