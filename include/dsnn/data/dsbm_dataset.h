#pragma once

#include "dsnn/data/dataset.h"
#include "dsnn/export.h"
#include "dsnn/graph/dsbm.h"

namespace dsnn {

/// A random graph of the block model as a dataset: the labels are the communities, the one feature
/// of a node is its total degree, and ten splits give 80/5/15 % of each community to training,
/// validation and test. Graph and splits come from the seed of the options.
DSNN_API Dataset dsbm_dataset(const DsbmOptions& options);

}  // namespace dsnn
