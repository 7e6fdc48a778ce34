#pragma once

#include "dsnn/data/dataset.h"
#include "dsnn/export.h"
#include "dsnn/graph/dsbm.h"

namespace dsnn {

/// A random graph of the block model as a dataset. The labels are the communities, the only feature
/// of a node is its total degree, and ten splits assign 80/5/15 % of each community to training,
/// validation and test. The seed of the options determines graph and splits.
DSNN_API Dataset dsbm_dataset(const DsbmOptions& options);

}  // namespace dsnn
