#pragma once

#include "dsnn/export.h"
#include "dsnn/graph/directed_graph.h"

#include <cstdint>
#include <vector>

namespace dsnn {

/// Directed stochastic block model [eq:dsbm].
struct DsbmOptions {
  NodeId num_nodes = 0;
  /// Nodes 0 .. n-1 are dealt to communities in consecutive runs, equal in size to within one node.
  NodeId num_communities = 1;
  double alpha_in = 0;   ///< probability that two nodes of one community are joined
  double alpha_out = 0;  ///< probability that two nodes of different communities are joined
  /// Probability that an edge between communities i < j runs from i to j. Within a community both
  /// directions are equally likely (beta_ii + beta_ii = 1).
  double beta = 0.5;
  std::uint64_t seed = 0;
};

/// Samples the arcs, one for each edge. Time and memory O(edges + communities). The same options
/// give the same arcs, on every machine whose log1p rounds alike.
DSNN_API std::vector<Arc> sample_dsbm(const DsbmOptions& options);

/// Community of each node.
DSNN_API std::vector<std::int64_t> dsbm_communities(const DsbmOptions& options);

}  // namespace dsnn
