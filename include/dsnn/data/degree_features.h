#pragma once

#include "dsnn/data/dataset.h"
#include "dsnn/export.h"

namespace dsnn {

/// For graphs without features: what a node's degrees tell.
enum class DegreeFeatures {
  kDegrees,  ///< out-degree and in-degree, two numbers
  kBuckets,  ///< of each of the two the bucket 0, 1, 2-3, 4-7, 8-15, ...: one 1 among zeros, sparse
};

/// Replaces the features by those of the degrees, names them, and says so in the notes.
DSNN_API void set_degree_features(Dataset& dataset, DegreeFeatures kind);

/// Whether the features are, or contain, those of the degrees.
DSNN_API bool has_degree_features(const Dataset& dataset);

}  // namespace dsnn
