#pragma once

#include "dsnn/export.h"
#include "dsnn/graph/directed_graph.h"

#include <filesystem>
#include <vector>

namespace dsnn {

/// Arcs as they stand in a file, with self-loops and duplicates.
struct ArcList {
  std::vector<Arc> arcs;
  std::vector<double> weights;  ///< one for each arc, or empty
  NodeId num_nodes = 0;         ///< largest node + 1
};

/// Reads a text file with one arc a line, `source target [weight]`: fields separated by blanks,
/// tabs or commas, `#` starts a comment, empty lines are skipped. Nodes are whole numbers from 0 to
/// 2^31 - 2. Either every line has a weight or none has.
///
/// Throws Error with file and line for anything else.
DSNN_API ArcList read_edge_list(const std::filesystem::path& path);

}  // namespace dsnn
