#pragma once

#include "dsnn/sheaf/block_sparse.h"

#include "support/random_graphs.h"

#include <Eigen/Dense>

#include <complex>
#include <vector>

namespace dsnn::testing {

// Dense matrices of small graphs, computed from the definitions and the list of arcs: the oracle.

using Dense = Eigen::MatrixXcd;
using DenseReal = Eigen::MatrixXd;

Dense to_eigen(const BlockSparseMatrix& matrix);

/// A: weights of duplicates add, without weights every entry is 0 or 1; no self-loops.
DenseReal adjacency(const RandomArcs& input);

double largest(const Dense& matrix);

Eigen::VectorXd eigenvalues(const Dense& hermitian);

inline double sign_of(double x) { return static_cast<double>((x > 0) - (x < 0)); }

/// L^(q) = D_s - A_s o exp(i 2 pi q (A - A^T))
Dense magnetic_laplacian(const DenseReal& a, double q, bool has_absolute_degrees = true);

/// L^sigma = D_s - A_s o (1 - sgn|A - A^T| + i sgn(|A| - |A^T|))
Dense sign_magnetic_laplacian(const DenseReal& a);

}  // namespace dsnn::testing
