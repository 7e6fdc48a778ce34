#include "util/eigen_solver.h"

#include <Eigen/Eigenvalues>

#include <cmath>

namespace dsnn {
namespace {

template <class T>
EigenSystem<T> solve(std::span<const T> matrix) {
  using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
  using RowMajor = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto n = static_cast<Eigen::Index>(std::lround(std::sqrt(matrix.size())));
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(
      Matrix(Eigen::Map<const RowMajor>(matrix.data(), n, n)));
  const auto& values = solver.eigenvalues();
  const Matrix& vectors = solver.eigenvectors();
  return {{values.data(), values.data() + n}, {vectors.data(), vectors.data() + n * n}};
}

}  // namespace

EigenSystem<std::complex<double>> solve_hermitian(std::span<const std::complex<double>> matrix) {
  return solve(matrix);
}

EigenSystem<double> solve_symmetric(std::span<const double> matrix) { return solve(matrix); }

}  // namespace dsnn
