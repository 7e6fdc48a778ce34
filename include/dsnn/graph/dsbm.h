#pragma once

#include "dsnn/export.h"
#include "dsnn/graph/directed_graph.h"

#include <cstdint>
#include <vector>

namespace dsnn {

/// Directed stochastic block model [eq:dsbm].
struct DsbmOptions {
  NodeId num_nodes = 0;
  /// Communities are consecutive ranges of the nodes 0 .. n-1 whose sizes differ by at most one.
  NodeId num_communities = 1;
  double alpha_in = 0;   ///< probability of an edge within a community
  double alpha_out = 0;  ///< probability of an edge between communities
  /// Probability that an edge between communities i < j runs from i to j. Within a community both
  /// directions are equally likely (beta_ii + beta_ii = 1).
  double beta = 0.5;
  std::uint64_t seed = 0;
};

/// Samples the arcs, one per edge. Time and memory O(edges + communities). The same options give
/// the same arcs on all machines with the same rounding of log1p.
DSNN_API std::vector<Arc> sample_dsbm(const DsbmOptions& options);

/// The community of each node.
DSNN_API std::vector<std::int64_t> dsbm_communities(const DsbmOptions& options);

}  // namespace dsnn
