#pragma once

#include "dsnn/config/config.h"
#include "dsnn/data/dataset.h"
#include "dsnn/data/feature_preparation.h"
#include "dsnn/nn/input.h"
#include "dsnn/parts/halo.h"

#include "util/internal_api.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace dsnn {

/// A graph and its features as input of models. Large graphs are reordered by locality_order(),
/// which does not change scores.
struct PreparedInput {
  nn::Input input;
  /// Node i of the input is node order[i] of the dataset; empty: not reordered. Predictions use the
  /// same order as training: values derived from the graph (geomgcn's embedding) may depend on it.
  std::vector<NodeId> order;

  NodeId node(std::size_t i) const { return order.empty() ? static_cast<NodeId>(i) : order[i]; }
};

/// Used for training and for prediction. The features may differ from those of the dataset.
/// With a halo, of a part, whose nodes are in order already; then it is collective.
DSNN_INTERNAL_API PreparedInput prepare_input(const Dataset& dataset, const Features& features,
                                              const FeaturePreparation& preparation,
                                              std::shared_ptr<const Halo> halo = {});

/// The data shared by the trainings on all splits of a dataset. The dataset must outlive it.
struct DSNN_INTERNAL_API TrainingData {
  const Dataset& dataset;
  PreparedInput prepared;
  std::vector<std::int64_t> labels;  ///< in the order of the input

  /// The labelled nodes of the input in a mask of the dataset's nodes.
  std::vector<std::int64_t> labelled_nodes(const std::vector<std::uint8_t>& mask) const;
};

DSNN_INTERNAL_API TrainingData make_training_data(const Dataset& dataset,
                                                  const FeaturePreparation& preparation,
                                                  std::shared_ptr<const Halo> halo = {});

/// Throws Error if the dataset has no labels or lacks one of the splits, if its features are
/// inconsistent, or if the sets of a split overlap or have no labelled training nodes.
DSNN_INTERNAL_API void check_trainable(const Dataset& dataset, const std::vector<int>& splits);

/// The same for the task of a configuration.
DSNN_INTERNAL_API void check_trainable(const Dataset& dataset, const Config& config,
                                       const std::vector<int>& splits);

/// Of a part of a graph. Throws Error for models and tasks that need the whole graph, too.
DSNN_INTERNAL_API void check_trainable_part(const Dataset& part, const std::string& model,
                                            const Config& config, const std::vector<int>& splits);

/// The number of splits of a dataset for the task of a configuration.
DSNN_INTERNAL_API int num_splits(const Dataset& dataset, const Config& config);

/// Throws the Error of a dataset without features.
[[noreturn]] void fail_without_features(const Dataset& dataset);

/// The values of normalise_features and degree_features.
FeatureScale feature_scale(const std::string& word);
DegreeColumns degree_columns(const std::string& word);

/// The preparation given by a configuration (normalise_features, degree_features). Throws Error if
/// there would be no features.
DSNN_INTERNAL_API FeaturePreparation fit_preparation(const Dataset& dataset, const Config& config);

}  // namespace dsnn
