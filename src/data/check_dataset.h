#pragma once

#include "dsnn/data/dataset.h"

#include "util/internal_api.h"

namespace dsnn {

// Datasets may be built by hand, and labels and column indices are used as array indices.

/// Throws Error unless there are no labels, or one for each node below the number of classes.
DSNN_INTERNAL_API void check_labels(const Dataset& dataset);

/// Throws Error unless the arrays are consistent.
DSNN_INTERNAL_API void check_features(const Features& features);

}  // namespace dsnn
