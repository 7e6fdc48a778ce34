#pragma once

#include "dsnn/data/dataset.h"
#include "dsnn/export.h"

#include <vector>

namespace dsnn {

/// The same dataset with its nodes in another order: node i of the result is node order[i], and
/// `order` has each node once.
DSNN_API Dataset reordered(const Dataset& dataset, const std::vector<NodeId>& order);

}  // namespace dsnn
