#pragma once

#include "dsnn/export.h"
#include "dsnn/sheaf/block_sparse.h"
#include "dsnn/sheaf/sheaf.h"

#include <cstdint>
#include <span>
#include <vector>

namespace dsnn {

/// The coboundary delta [eq:coboundary] as a matrix of m x n blocks; edges in the order and with
/// the orientation of DirectedGraph::edge_list().
DSNN_API BlockSparseMatrix coboundary(const Sheaf& sheaf);

/// delta(x)_e = F_h x_u - T_h F_h' x_v [eq:coboundary]; x is [n, d, channels], the result [m, d,
/// channels].
DSNN_API std::vector<Complex> apply_coboundary(const Sheaf& sheaf, std::span<const Complex> x,
                                               std::int64_t channels);

/// delta*(y), the adjoint; y is [m, d, channels], the result [n, d, channels].
DSNN_API std::vector<Complex> apply_coboundary_adjoint(const Sheaf& sheaf,
                                                       std::span<const Complex> y,
                                                       std::int64_t channels);

}  // namespace dsnn
