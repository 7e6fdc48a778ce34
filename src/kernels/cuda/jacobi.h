// Eigenvalues and eigenvectors of small symmetric matrices, one thread each.
#pragma once

#include "kernels/cuda/launch.h"

namespace dsnn::kernels::cuda {

/// A matrix of one thread, in registers where all indices are known to the compiler.
template <int kSize>
struct LocalMatrix {
  double data[kSize * kSize];
  DSNN_GPU_INLINE double& at(int i, int j) { return data[i * kSize + j]; }
};

/// A matrix of one thread in scratch memory: entry e of thread u at e * threads + u, so that
/// neighbouring threads read neighbouring values.
struct StridedMatrix {
  double* data;
  std::int64_t threads;
  int size;
  DSNN_GPU_INLINE double& at(int i, int j) const { return data[(i * size + j) * threads]; }
};

/// Jacobi's cyclic rotations of a, [n, n] and positive semidefinite: its diagonal becomes the
/// eigenvalues, the columns of v the eigenvectors (cpu/jacobi-inl.h).
template <class Matrix>
DSNN_GPU_INLINE void jacobi(int n, Matrix& a, Matrix& v) {
  double trace = 0;  // a trace of 1 prevents overflow and underflow of squares
  DSNN_UNROLL
  for (int i = 0; i < n; ++i) trace += a.at(i, i);
  const double scale = trace > 0 ? trace : 1;
  DSNN_UNROLL
  for (int i = 0; i < n; ++i) {
    DSNN_UNROLL
    for (int j = 0; j < n; ++j) {
      a.at(i, j) /= scale;
      v.at(i, j) = i == j ? 1 : 0;
    }
  }
  constexpr int kMaxSweeps = 30;
  constexpr double kEpsilon = 2.220446049250313e-16;
#pragma unroll 1
  for (int sweep = 0; sweep < kMaxSweeps; ++sweep) {
    double off = 0;
    DSNN_UNROLL
    for (int p = 0; p < n; ++p) {
      DSNN_UNROLL
      for (int q = p + 1; q < n; ++q) off += a.at(p, q) * a.at(p, q);
    }
    if (off <= 0.01 * kEpsilon * kEpsilon) break;
    DSNN_UNROLL
    for (int p = 0; p < n; ++p) {
      DSNN_UNROLL
      for (int q = p + 1; q < n; ++q) {
        // The smaller root t of t^2 apq + t (aqq - app) - apq = 0.
        const double apq = a.at(p, q), app = a.at(p, p), aqq = a.at(q, q);
        const double difference = aqq - app, twice = apq + apq;
        const double root = sqrt(difference * difference + twice * twice);
        const double below = difference + copysign(root, difference);
        const double t = below == 0 ? 0 : twice / below;
        const double cosine = 1 / sqrt(t * t + 1), sine = t * cosine;
        a.at(p, p) = app - t * apq;
        a.at(q, q) = aqq + t * apq;
        a.at(p, q) = 0;
        a.at(q, p) = 0;
        DSNN_UNROLL
        for (int i = 0; i < n; ++i) {
          if (i != p && i != q) {
            const double x = a.at(i, p), y = a.at(i, q);
            a.at(i, p) = a.at(p, i) = cosine * x - sine * y;
            a.at(i, q) = a.at(q, i) = cosine * y + sine * x;
          }
          const double x = v.at(i, p), y = v.at(i, q);
          v.at(i, p) = cosine * x - sine * y;
          v.at(i, q) = cosine * y + sine * x;
        }
      }
    }
  }
  DSNN_UNROLL
  for (int i = 0; i < n; ++i) a.at(i, i) *= scale;
}

}  // namespace dsnn::kernels::cuda
