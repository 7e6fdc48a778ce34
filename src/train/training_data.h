#pragma once

#include "dsnn/config/config.h"
#include "dsnn/data/dataset.h"
#include "dsnn/data/feature_preparation.h"
#include "dsnn/nn/input.h"

#include "util/internal_api.h"

#include <cstdint>
#include <vector>

namespace dsnn {

/// A graph and its features as models take them. Many nodes are in an order of their own, that of
/// locality_order(), in which scores are the same.
struct PreparedInput {
  nn::Input input;
  /// Node i of the input is node order[i] of the dataset; empty: nodes are as they are. Predictions
  /// take the same order as training: what a model makes of a graph (geomgcn's plane) may depend on
  /// it.
  std::vector<NodeId> order;

  NodeId node(std::size_t i) const { return order.empty() ? static_cast<NodeId>(i) : order[i]; }
};

/// The same for training and for prediction. The features may be others than the dataset's.
DSNN_INTERNAL_API PreparedInput prepare_input(const Dataset& dataset, const Features& features,
                                              const FeaturePreparation& preparation);

/// What training on any split of a dataset shares. The dataset must outlive it.
struct DSNN_INTERNAL_API TrainingData {
  const Dataset& dataset;
  PreparedInput prepared;
  std::vector<std::int64_t> labels;  ///< in the order of the input

  /// Nodes of the input in a mask of the dataset's nodes whose label is known.
  std::vector<std::int64_t> labelled_nodes(const std::vector<std::uint8_t>& mask) const;
};

DSNN_INTERNAL_API TrainingData make_training_data(const Dataset& dataset,
                                                  const FeaturePreparation& preparation);

/// Throws Error if the dataset lacks labels or one of the splits, if its features do not fit, or if
/// a split has nodes in two parts or none to learn from.
DSNN_INTERNAL_API void check_trainable(const Dataset& dataset, const std::vector<int>& splits);

/// The preparation that a configuration asks for (normalise_features, degree_features). Throws
/// Error if no feature would be left to learn from.
DSNN_INTERNAL_API FeaturePreparation fit_preparation(const Dataset& dataset, const Config& config);

}  // namespace dsnn
