#pragma once

#include "dsnn/export.h"
#include "dsnn/graph/directed_graph.h"

#include <filesystem>
#include <vector>

namespace dsnn {

/// The arcs of a file, including self-loops and duplicates.
struct ArcList {
  std::vector<Arc> arcs;
  std::vector<double> weights;  ///< one per arc, or empty
  NodeId num_nodes = 0;         ///< largest node + 1
};

/// Reads a text file with one arc per line, `source target [weight]`: fields are separated by
/// blanks, tabs or commas, `#` starts a comment, empty lines are skipped. Nodes are integers from 0
/// to 2^31 - 2. Either all lines have a weight or none.
///
/// Throws Error with file and line for anything else.
DSNN_API ArcList read_edge_list(const std::filesystem::path& path);

}  // namespace dsnn
