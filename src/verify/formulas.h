#pragma once

#include "dsnn/graph/directed_graph.h"
#include "dsnn/sheaf/block_sparse.h"

namespace dsnn {

// The Laplacians that the directed sheaf Laplacian generalises, computed by their own formulas from
// the list of arcs, without half-edges, maps or phases.

/// L = D - A of an undirected graph: A is 1 if there is an arc in either direction.
BlockSparseMatrix graph_laplacian_formula(const DirectedGraph& graph);

/// [eq:magnetic] L^(q) = D_s - A_s o exp(i 2 pi q (A - A^T)), with D_s the row sums of |A_s|.
BlockSparseMatrix magnetic_laplacian_formula(const DirectedGraph& graph, double charge);

/// [eq:sign-magnetic] L^sigma = D_s - A_s o (1 - sgn|A - A^T| + i sgn(|A| - |A^T|)).
BlockSparseMatrix sign_magnetic_laplacian_formula(const DirectedGraph& graph);

/// [eq:incidence] The complex incidence matrix B of Theorem 5, n x m, columns in the order of the
/// pairs.
BlockSparseMatrix incidence_formula(const DirectedGraph& graph, double charge);

/// A B for blocks of size 1.
BlockSparseMatrix scalar_product(const BlockSparseMatrix& a, const BlockSparseMatrix& b);

}  // namespace dsnn
