#pragma once

#include <complex>
#include <span>
#include <vector>

namespace dsnn {

// Eigen's solvers, compiled only here, because each takes seconds.

/// Eigenvalues of an n x n matrix in ascending order, with orthonormal eigenvectors one behind the
/// other: entry i of vector k is vectors[k n + i].
template <class T>
struct EigenSystem {
  std::vector<double> values;
  std::vector<T> vectors;
};

/// Of a Hermitian matrix, row by row; the part above the diagonal is not read.
EigenSystem<std::complex<double>> solve_hermitian(std::span<const std::complex<double>> matrix);

/// Of a symmetric matrix, row by row; the part above the diagonal is not read.
EigenSystem<double> solve_symmetric(std::span<const double> matrix);

}  // namespace dsnn
