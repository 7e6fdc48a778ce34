#pragma once

#include "dsnn/data/dataset.h"
#include "dsnn/export.h"

namespace dsnn {

/// Features from node degrees, for graphs without features.
enum class DegreeFeatures {
  kDegrees,  ///< out-degree and in-degree, two columns
  kBuckets,  ///< one-hot buckets 0, 1, 2-3, 4-7, 8-15, ... of both degrees, sparse
};

/// Replaces the features by degree features with names, and adds a note.
DSNN_API void set_degree_features(Dataset& dataset, DegreeFeatures kind);

/// Whether the features are, or contain, degree features.
DSNN_API bool has_degree_features(const Dataset& dataset);

}  // namespace dsnn
