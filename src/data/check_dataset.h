#pragma once

#include "dsnn/data/dataset.h"

#include "util/internal_api.h"

namespace dsnn {

// A dataset need not come from a reader, and labels and columns index arrays.

/// Throws Error unless there are no labels, or one for each node below the number of classes.
DSNN_INTERNAL_API void check_labels(const Dataset& dataset);

/// Throws Error unless the arrays fit together.
DSNN_INTERNAL_API void check_features(const Features& features);

}  // namespace dsnn
