#include "support/dense.h"

#include <complex>
#include <numbers>

namespace dsnn::testing {

Dense to_eigen(const BlockSparseMatrix& matrix) {
  const std::vector<Complex> dense = matrix.to_dense();
  using RowMajor = Eigen::Matrix<Complex, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  return Eigen::Map<const RowMajor>(dense.data(), matrix.num_rows(), matrix.num_cols());
}

DenseReal adjacency(const RandomArcs& input) {
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

double largest(const Dense& matrix) {
  return matrix.size() == 0 ? 0 : matrix.cwiseAbs().maxCoeff();
}

Eigen::VectorXd eigenvalues(const Dense& hermitian) {
  if (hermitian.size() == 0) return {};
  return Eigen::SelfAdjointEigenSolver<Dense>(hermitian, Eigen::EigenvaluesOnly).eigenvalues();
}

Dense magnetic_laplacian(const DenseReal& a, double q, bool has_absolute_degrees) {
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

Dense sign_magnetic_laplacian(const DenseReal& a) {
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
