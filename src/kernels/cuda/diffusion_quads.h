// The parts of the diffusion that read neighbours, for real blocks where the rows of a node have
// 128 elements in all, such as a stalk dimension of 4 with 32 channels: a lane has four
// neighbouring channels of one row, so that a warp reads the rows of a node in one go. There may be
// one more row, which blocks do not mix with others: the warp reads those of several neighbours in
// one go.
#pragma once

#include "kernels/cuda/diffusion_rows.h"

#include <cstdint>
#include <type_traits>

namespace dsnn::kernels::cuda {

constexpr int kQuad = 4, kInOneGo = kQuad * kWarp;

/// Four neighbouring elements.
template <class T>
struct Quad {
  T v[kQuad] = {};

  DSNN_GPU_INLINE static Quad load(const T* from) {
    Quad quad;
#if defined(__CUDACC__)
    if constexpr (std::is_same_v<T, float>) {
      const float4 four = *reinterpret_cast<const float4*>(from);
      quad.v[0] = four.x;
      quad.v[1] = four.y;
      quad.v[2] = four.z;
      quad.v[3] = four.w;
      return quad;
    }
#endif
    for (int i = 0; i < kQuad; ++i) quad.v[i] = from[i];
    return quad;
  }
  DSNN_GPU_INLINE void store(T* to, T factor) const {
#if defined(__CUDACC__)
    if constexpr (std::is_same_v<T, float>) {
      *reinterpret_cast<float4*>(to) =
          make_float4(factor * v[0], factor * v[1], factor * v[2], factor * v[3]);
      return;
    }
#endif
    for (int i = 0; i < kQuad; ++i) to[i] = factor * v[i];
  }
  /// += factor x
  DSNN_GPU_INLINE void add(T factor, const Quad& x) {
    DSNN_UNROLL
    for (int i = 0; i < kQuad; ++i) v[i] += factor * x.v[i];
  }
  DSNN_GPU_INLINE T dot(const Quad& x) const {
    T sum = 0;
    DSNN_UNROLL
    for (int i = 0; i < kQuad; ++i) sum += v[i] * x.v[i];
    return sum;
  }
};

/// Real and imaginary part.
template <class T, bool kPlanes>
struct Quads {
  Quad<T> re, im;

  DSNN_GPU_INLINE static Quads load(const T* from, std::int64_t plane) {
    Quads quads;
    quads.re = Quad<T>::load(from);
    if constexpr (kPlanes) quads.im = Quad<T>::load(from + plane);
    return quads;
  }
  DSNN_GPU_INLINE void store(T* to, std::int64_t plane, T factor) const {
    re.store(to, factor);
    if constexpr (kPlanes) im.store(to + plane, factor);
  }
  /// += (a + i b) x
  DSNN_GPU_INLINE void add(T a, T b, const Quads& x) {
    re.add(a, x.re);
    if constexpr (kPlanes) {
      re.add(-b, x.im);
      im.add(a, x.im);
      im.add(b, x.re);
    }
  }
};

template <class T>
DSNN_GPU_INLINE T sine_of(const Phase<T>& phase, int orientation) {
  return orientation > 0 ? phase.sine : orientation < 0 ? -phase.sine : T{0};
}
template <class T>
DSNN_GPU_INLINE T cosine_of(const Phase<T>& phase, int orientation) {
  return orientation == 0 ? T{1} : phase.cosine;
}

/// What a warp knows about up to 32 half-edges, one in each lane.
struct Edges {
  NodeId neighbour;
  std::uint32_t reverse;
  int orientation, count;

  DSNN_GPU_INLINE Edges(const GpuGraph& graph, HalfEdgeId begin, HalfEdgeId end, int lane) {
    count = static_cast<int>(end - begin < kWarp ? end - begin : kWarp);
    const HalfEdgeId own = begin + (lane < count ? lane : 0);
    neighbour = graph.neighbours[own];
    reverse = static_cast<std::uint32_t>(graph.reverse(own));
    orientation = graph.orientations[own];
  }
};

/// The rows of a node: kMain in one go, and kTail, 0 or 1, more.
template <int kMain, int kTail>
struct NodeRows {
  static constexpr int kDim = kMain + kTail, kLanes = kWarp / kMain;  // lanes of a row
  /// Entries of a block, and those that mix the rows that are read in one go.
  static constexpr int size(bool is_dense) { return is_dense ? kDim * kDim : kDim; }
  static constexpr int mixing(bool is_dense) { return is_dense ? kMain * kMain : kMain; }
  static constexpr std::int64_t kNode = kInOneGo + kTail * kLanes * kQuad;
  /// The first element of a lane in the row beyond.
  static DSNN_GPU_INLINE int tail(int lane) { return kInOneGo + lane % kLanes * kQuad; }
};

/// For reading four elements at a time.
template <class T>
bool is_aligned(const T* array) {
  return reinterpret_cast<std::uintptr_t>(array) % (kQuad * sizeof(T)) == 0;
}

/// run.template operator()<kDense, kMain, kTail, kPlanes>() if there is one for these blocks.
template <class T, class Run>
bool with_quads(const GpuBlocks<T>& blocks, const Run& run) {
  if (!std::is_same_v<T, float> || blocks.is_complex()) return false;
  if (blocks.graph.reverse_half_edges == nullptr) return false;
  const auto with_planes = [&]<bool kDense, int kMain, int kTail>() {
    if (blocks.planes == 2) {
      run.template operator()<kDense, kMain, kTail, true>();
    } else {
      run.template operator()<kDense, kMain, kTail, false>();
    }
    return true;
  };
  const auto with_rows = [&]<int kMain>() {
    if (blocks.channels * kMain != kInOneGo) return false;
    const bool is_diagonal = blocks.is_diagonal();
    if (blocks.dim == kMain) {
      return is_diagonal ? with_planes.template operator()<false, kMain, 0>()
                         : with_planes.template operator()<true, kMain, 0>();
    }
    if (blocks.dim != kMain + 1 || (!is_diagonal && blocks.num_fixed == 0)) return false;
    return is_diagonal ? with_planes.template operator()<false, kMain, 1>()
                       : with_planes.template operator()<true, kMain, 1>();
  };
  return with_rows.template operator()<2>() || with_rows.template operator()<4>();
}

}  // namespace dsnn::kernels::cuda
