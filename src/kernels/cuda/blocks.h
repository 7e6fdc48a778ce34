// The blocks of the sheaf Laplacian on a GPU.
#pragma once

#include "kernels/cuda/graph.h"
#include "kernels/cuda/math.h"
#include "kernels/sheaf_diffusion.h"

#include <type_traits>

namespace dsnn::kernels::cuda {

/// A complex number.
template <class T>
struct Pair {
  T re = 0, im = 0;

  /// += a (x + i y)
  DSNN_GPU_INLINE void add_product(const Pair& a, T x, T y) {
    re += a.re * x - a.im * y;
    im += a.re * y + a.im * x;
  }
  DSNN_GPU_INLINE Pair times(const Pair& b) const {
    return {re * b.re - im * b.im, re * b.im + im * b.re};
  }
};

/// T_h by orientation, of a charge in the GPU's memory; 1 without charge.
template <class T>
struct Phase {
  T cosine = 1, sine = 0;
  bool is_one = true;

  DSNN_GPU_INLINE explicit Phase(const T* charge) {
    if (charge == nullptr) return;
    is_one = false;
    // As exact as possible: the angle is reduced before it is multiplied by 2 pi.
    const T turns = *charge - rint(*charge);
#if defined(__CUDA_ARCH__)
    if constexpr (std::is_same_v<T, float>) {
      sincospif(2 * turns, &sine, &cosine);
    } else {
      sincospi(2 * turns, &sine, &cosine);
    }
#else
    sine = static_cast<T>(std::sin(6.283185307179586 * static_cast<double>(turns)));
    cosine = static_cast<T>(std::cos(6.283185307179586 * static_cast<double>(turns)));
#endif
  }
  DSNN_GPU_INLINE Pair<T> turn(int orientation, const Pair<T>& z) const {
    if (is_one || orientation == 0) return z;
    const T s = orientation > 0 ? sine : -sine;
    return {cosine * z.re - s * z.im, cosine * z.im + s * z.re};
  }
  /// Times the conjugate.
  DSNN_GPU_INLINE Pair<T> turn_back(int orientation, const Pair<T>& z) const {
    return turn(-orientation, z);
  }
};

/// Diffusion on the GPU.
template <class T>
struct GpuBlocks {
  GpuGraph graph;
  BlockKind kind;
  std::int64_t dim, planes, channels, num_fixed;
  const T* charge;
  const T* maps;
  const T* diagonal;

  GpuBlocks(const Gpu& gpu, const Diffusion<T>& operation)
      : graph(gpu, operation.graph),
        kind(operation.kind),
        dim(operation.dim),
        planes(operation.planes),
        channels(operation.channels),
        num_fixed(operation.num_fixed),
        charge(operation.charge_on_gpu),
        maps(operation.maps),
        diagonal(operation.diagonal) {}

  constexpr DSNN_GPU_BOTH bool is_diagonal() const {
    return kind == BlockKind::kDiagonal || kind == BlockKind::kComplexDiagonal;
  }
  constexpr DSNN_GPU_BOTH bool is_complex() const {
    return kind == BlockKind::kComplexDiagonal || kind == BlockKind::kComplexDense;
  }
  constexpr DSNN_GPU_BOTH std::int64_t map_size() const { return is_diagonal() ? dim : dim * dim; }

  /// Entry e of G_h.
  DSNN_GPU_INLINE Pair<T> map(HalfEdgeId h, std::int64_t e) const {
    const std::int64_t at = h * map_size() + e;
    return {maps[at], is_complex() ? maps[graph.count * map_size() + at] : T{0}};
  }
  /// Entry (i, j) of G_h* G_h'.
  DSNN_GPU_INLINE Pair<T> entry(HalfEdgeId h, HalfEdgeId back, std::int64_t i,
                                std::int64_t j) const {
    Pair<T> sum;
    const std::int64_t terms = is_diagonal() ? 1 : dim;
    for (std::int64_t k = 0; k < terms; ++k) {
      const Pair<T> a = map(h, is_diagonal() ? i : k * dim + i);
      const Pair<T> b = map(back, is_diagonal() ? i : k * dim + j);
      sum.re += a.re * b.re + a.im * b.im;
      sum.im += a.re * b.im - a.im * b.re;
    }
    return sum;
  }
  /// Entry (i, j) of N_u.
  DSNN_GPU_INLINE Pair<T> diagonal_entry(std::int64_t u, std::int64_t i, std::int64_t j) const {
    const std::int64_t at = u * map_size() + (is_diagonal() ? i : i * dim + j);
    const bool has_imaginary = kind == BlockKind::kComplexDense;
    return {diagonal[at], has_imaginary ? diagonal[graph.num_nodes * map_size() + at] : T{0}};
  }
};

}  // namespace dsnn::kernels::cuda
