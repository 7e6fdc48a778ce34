#pragma once

#include "dsnn/sheaf/block_sparse.h"

#include "support/random_graphs.h"

#include <Eigen/Dense>

#include <complex>
#include <numbers>
#include <vector>

namespace dsnn::testing {

// Dense matrices of small graphs, written from the definitions and the list of arcs: the oracle.

using Dense = Eigen::MatrixXcd;
using DenseReal = Eigen::MatrixXd;

inline Dense to_eigen(const BlockSparseMatrix& matrix) {
  const std::vector<Complex> dense = matrix.to_dense();
  using RowMajor = Eigen::Matrix<Complex, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  return Eigen::Map<const RowMajor>(dense.data(), matrix.num_rows(), matrix.num_cols());
}

/// A: weights of duplicates add, without weights every entry is 0 or 1; no self-loops.
inline DenseReal adjacency(const RandomArcs& input) {
  DenseReal a = DenseReal::Zero(input.num_nodes, input.num_nodes);
  for (std::size_t i = 0; i < input.arcs.size(); ++i) {
    const auto [u, v] = input.arcs[i];
    if (u == v) continue;
    if (input.weights.empty()) {
      a(u, v) = 1;
    } else {
      a(u, v) += input.weights[i];
    }
  }
  return a;
}

inline double largest(const Dense& matrix) {
  return matrix.size() == 0 ? 0 : matrix.cwiseAbs().maxCoeff();
}

inline Eigen::VectorXd eigenvalues(const Dense& hermitian) {
  if (hermitian.size() == 0) return {};
  return Eigen::SelfAdjointEigenSolver<Dense>(hermitian, Eigen::EigenvaluesOnly).eigenvalues();
}

inline double sign_of(double x) { return static_cast<double>((x > 0) - (x < 0)); }

/// L^(q) = D_s - A_s o exp(i 2 pi q (A - A^T))
inline Dense magnetic_laplacian(const DenseReal& a, double q, bool has_absolute_degrees = true) {
  const DenseReal a_s = (a + a.transpose()) / 2;
  const Eigen::VectorXd degrees =
      has_absolute_degrees ? a_s.cwiseAbs().rowwise().sum().eval() : a_s.rowwise().sum().eval();
  Dense h = Dense::Zero(a.rows(), a.cols());
  for (Eigen::Index u = 0; u < a.rows(); ++u) {
    for (Eigen::Index v = 0; v < a.cols(); ++v) {
      h(u, v) = a_s(u, v) * std::polar(1.0, 2 * std::numbers::pi * q * (a(u, v) - a(v, u)));
    }
  }
  return Dense(degrees.cast<Complex>().asDiagonal()) - h;
}

/// L^sigma = D_s - A_s o (1 - sgn|A - A^T| + i sgn(|A| - |A^T|))
inline Dense sign_magnetic_laplacian(const DenseReal& a) {
  const DenseReal a_s = (a + a.transpose()) / 2;
  Dense h = Dense::Zero(a.rows(), a.cols());
  for (Eigen::Index u = 0; u < a.rows(); ++u) {
    for (Eigen::Index v = 0; v < a.cols(); ++v) {
      h(u, v) = a_s(u, v) * Complex(1 - sign_of(std::abs(a(u, v) - a(v, u))),
                                    sign_of(std::abs(a(u, v)) - std::abs(a(v, u))));
    }
  }
  const Eigen::VectorXd degrees = a_s.cwiseAbs().rowwise().sum();
  return Dense(degrees.cast<Complex>().asDiagonal()) - h;
}

}  // namespace dsnn::testing
