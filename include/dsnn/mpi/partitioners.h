#pragma once

#include "dsnn/export.h"
#include "dsnn/graph/directed_graph.h"
#include "dsnn/parts/partition.h"

#include <string>
#include <vector>

namespace dsnn {

/// The partitioners of this build, the best first: "metis", "scotch", "blocks".
DSNN_API std::vector<std::string> partition_methods();

/// A partition into parts of about equal work with few edges between them; the same on every
/// machine with the same version of METIS or Scotch. Throws Error if the method is not there.
DSNN_API Partition make_partition(const std::string& method, const DirectedGraph& graph,
                                  const std::vector<NodeId>& order, int num_parts);

}  // namespace dsnn
