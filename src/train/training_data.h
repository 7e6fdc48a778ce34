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

/// Throws Error if the dataset lacks labels, features, or one of the splits, or if a split has
/// nodes in two parts or none to learn from.
DSNN_API void check_trainable(const Dataset& dataset, const std::vector<int>& splits);

/// Whether a configuration asks for rows of features scaled to sums of 1, or leaves it open and the
/// dataset is a known one for which this is usual: by its name and its sizes.
DSNN_API bool normalises_rows(const Config& config, const Dataset& dataset);

/// The order in which models see the nodes; empty: as they are. Predictions take the same one:
/// what a model makes of a graph (geomgcn's plane) may depend on it.
DSNN_API std::vector<NodeId> training_order(const DirectedGraph& graph);

DSNN_API TrainingData make_training_data(const Dataset& dataset, const Config& config);

}  // namespace dsnn
