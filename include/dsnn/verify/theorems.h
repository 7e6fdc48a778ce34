#pragma once

#include "dsnn/export.h"
#include "dsnn/graph/directed_graph.h"

#include <cstdint>
#include <string>
#include <vector>

namespace dsnn {

struct TheoremOptions {
  int stalk_dim = 3;
  int num_trials = 9;  ///< random sheaves; families and fields alternate
  std::uint64_t seed = 0;
};

/// One claim about the directed sheaf Laplacian and the deviation from it on this graph.
struct Claim {
  std::string label;  ///< "theorem 1", ..., or "note" for a correction of docs/paper-notes.md
  std::string statement;
  double deviation = 0;  ///< largest over the trials; relative to the operator's size
  double tolerance = 0;
  bool passed() const { return deviation <= tolerance; }  // false for NaN
};

/// Checks the paper's five theorems, and the mathematical corrections to it, on a graph with random
/// sheaves and charges. Both sides of an equation are computed independently: the magnetic and
/// sign-magnetic Laplacians and the incidence matrix by their own formulas from the list of arcs.
///
/// Claims about unit weights are checked on the graph without weights.
DSNN_API std::vector<Claim> check_theorems(const DirectedGraph& graph,
                                           const TheoremOptions& options = {});

}  // namespace dsnn
