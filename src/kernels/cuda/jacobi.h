// Eigenvalues and eigenvectors of small symmetric matrices, one thread each.
#pragma once

#include "kernels/cuda/launch.h"

namespace dsnn::kernels::cuda {

/// Matrices of doubles, one per node: entry e of node u at e * nodes + u, so that neighbouring
/// threads read neighbouring values.
struct NodeMatrices {
  double* data;
  std::int64_t nodes, k;

  NodeMatrices(const Gpu& gpu, std::int64_t num_nodes, std::int64_t size)
      : data(static_cast<double*>(
            gpu.scratch(static_cast<std::size_t>(num_nodes * size * size) * sizeof(double)))),
        nodes(num_nodes),
        k(size) {}
  DSNN_GPU_INLINE double& at(std::int64_t u, std::int64_t i, std::int64_t j) const {
    return data[(i * k + j) * nodes + u];
  }
};

/// Jacobi's cyclic rotations of node u's matrix a, positive semidefinite: its diagonal becomes the
/// eigenvalues, the columns of v the eigenvectors (cpu/jacobi-inl.h).
DSNN_GPU_INLINE void jacobi(std::int64_t u, const NodeMatrices& a, const NodeMatrices& v) {
  const std::int64_t n = a.k;
  double trace = 0;  // a trace of 1 prevents overflow and underflow of squares
  for (std::int64_t i = 0; i < n; ++i) trace += a.at(u, i, i);
  const double scale = trace > 0 ? trace : 1;
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      a.at(u, i, j) /= scale;
      v.at(u, i, j) = i == j ? 1 : 0;
    }
  }
  constexpr int kMaxSweeps = 30;
  constexpr double kEpsilon = 2.220446049250313e-16;
  for (int sweep = 0; sweep < kMaxSweeps; ++sweep) {
    double off = 0;
    for (std::int64_t p = 0; p < n; ++p) {
      for (std::int64_t q = p + 1; q < n; ++q) off += a.at(u, p, q) * a.at(u, p, q);
    }
    if (off <= 0.01 * kEpsilon * kEpsilon) break;
    for (std::int64_t p = 0; p < n; ++p) {
      for (std::int64_t q = p + 1; q < n; ++q) {
        // The smaller root t of t^2 apq + t (aqq - app) - apq = 0.
        const double apq = a.at(u, p, q), app = a.at(u, p, p), aqq = a.at(u, q, q);
        const double difference = aqq - app, twice = apq + apq;
        const double root = sqrt(difference * difference + twice * twice);
        const double below = difference + copysign(root, difference);
        const double t = below == 0 ? 0 : twice / below;
        const double cosine = 1 / sqrt(t * t + 1), sine = t * cosine;
        a.at(u, p, p) = app - t * apq;
        a.at(u, q, q) = aqq + t * apq;
        a.at(u, p, q) = 0;
        a.at(u, q, p) = 0;
        for (std::int64_t i = 0; i < n; ++i) {
          if (i != p && i != q) {
            const double x = a.at(u, i, p), y = a.at(u, i, q);
            a.at(u, i, p) = a.at(u, p, i) = cosine * x - sine * y;
            a.at(u, i, q) = a.at(u, q, i) = cosine * y + sine * x;
          }
          const double x = v.at(u, i, p), y = v.at(u, i, q);
          v.at(u, i, p) = cosine * x - sine * y;
          v.at(u, i, q) = cosine * y + sine * x;
        }
      }
    }
  }
  for (std::int64_t i = 0; i < n; ++i) a.at(u, i, i) *= scale;
}

}  // namespace dsnn::kernels::cuda
