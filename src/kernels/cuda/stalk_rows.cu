#include "kernels/cuda/launch.h"
#include "kernels/cuda/stalk_rows.h"

#include <type_traits>

namespace dsnn::kernels::cuda {
namespace {

constexpr int kWarps = 4, kThreads = kWarps * kWarp, kPitch = kWarp + 1;

/// What a block of warps shares: the right weights, and the rows of each warp's node.
template <class T, int kDim>
struct Tiles {
  static constexpr int kPadded = next_power(kDim);
  T* weights;  // entry (k, c) at k * kPitch + c; 0 beyond the channels
  T* rows;     // of this warp: entry (i, c) at c * kPadded + i

  /// All threads of the block.
  DSNN_GPU_INLINE Tiles(const StalkPart<T>& part, bool is_transposed, int thread)
      : weights(shared_array<T, kWarp * kPitch, 0>()),
        rows(shared_array<T, kWarps * kWarp * kPadded, 1>() + thread / kWarp * kWarp * kPadded) {
    const int f = static_cast<int>(part.f);
    for (int e = thread; e < kWarp * kWarp; e += kThreads) {
      const int k = e / kWarp, c = e % kWarp;
      T value = 0;
      if (k < f && c < f) value = part.right[k * f + c];
      weights[is_transposed ? c * kPitch + k : k * kPitch + c] = value;
    }
    wait_for_block();
  }
  /// Every lane gives its column of a node's rows to the warp.
  DSNN_GPU_INLINE void put(const T (&column)[kDim], int lane) const {
    wait_for_warp();  // earlier reads are done
    DSNN_UNROLL
    for (int i = 0; i < kDim; ++i) rows[lane * kPadded + i] = column[i];
    wait_for_warp();
  }
  /// The lane's column of these rows times the weights.
  DSNN_GPU_INLINE void times_weights(int lane, T (&result)[kDim]) const {
    DSNN_UNROLL
    for (int i = 0; i < kDim; ++i) result[i] = 0;
#pragma unroll 16
    for (int k = 0; k < kWarp; ++k) {
      const T weight = weights[k * kPitch + lane];
      DSNN_UNROLL
      for (int i = 0; i < kDim; ++i) result[i] += rows[k * kPadded + i] * weight;
    }
  }
};

/// The left weights, in registers.
template <class T, int kDim>
struct Left {
  T l[kDim * kDim];
  DSNN_GPU_INLINE explicit Left(const T* left) {
    DSNN_UNROLL
    for (int e = 0; e < kDim * kDim; ++e) {
      l[e] = left == nullptr ? static_cast<T>(e % (kDim + 1) == 0 ? 1 : 0) : left[e];
    }
  }
  /// L s, or L^T s.
  template <bool kTransposed>
  DSNN_GPU_INLINE void times(const T (&s)[kDim], T (&result)[kDim]) const {
    DSNN_UNROLL
    for (int i = 0; i < kDim; ++i) {
      result[i] = 0;
      DSNN_UNROLL
      for (int j = 0; j < kDim; ++j)
        result[i] += l[kTransposed ? j * kDim + i : i * kDim + j] * s[j];
    }
  }
};

template <class T, int kDim>
void forward(const Gpu& gpu, const StalkPart<T>& given, const Drop<T>& drop, const T* x, T* y) {
  constexpr std::int64_t kMostBlocks = 1056;
  const StalkPart<T> part = given;
  const std::int64_t nodes = part.rows / kDim;
  const std::int64_t blocks = std::min(kMostBlocks, (nodes + kWarps - 1) / kWarps);
  launch_blocks<kThreads>(gpu, {blocks}, [=] DSNN_GPU(const Place& place) {
    const int lane = place.thread % kWarp;
    const Tiles<T, kDim> tiles(part, false, place.thread);
    const Left<T, kDim> left(part.left);
    const bool is_in = lane < part.f;
    for (std::int64_t node = place.block * kWarps + place.thread / kWarp; node < nodes;
         node += blocks * kWarps) {
      T s[kDim], t[kDim];
      DSNN_UNROLL
      for (int j = 0; j < kDim; ++j) {
        const std::int64_t at = (node * kDim + j) * part.f + lane;
        s[j] = is_in ? drop(part.position + at, x[at]) : T{0};
      }
      left.template times<false>(s, t);
      tiles.put(t, lane);
      tiles.times_weights(lane, s);
      if (!is_in) continue;
      DSNN_UNROLL
      for (int i = 0; i < kDim; ++i) y[(node * kDim + i) * part.f + lane] = s[i];
    }
  });
}

// With s = drop(x) and u = grad R^T: grad_x = drop(L^T u), grad_L = the sum of u s^T, grad_R = the
// sum of (L s)^T grad. A block adds up the last two for its nodes; then those of all blocks are
// added in order.
template <class T, int kDim>
void backward(const Gpu& gpu, const StalkPart<T>& given, const Drop<T>& drop, const T* x,
              const T* grad, T* grad_x, T* grad_left, T* grad_right) {
  constexpr std::int64_t kMostBlocks = 528;
  constexpr int kSize = kDim * kDim, kPadded = next_power(kSize), kRight = kWarp * kWarp;
  const StalkPart<T> part = given;
  const std::int64_t nodes = part.rows / kDim;
  const std::int64_t blocks = std::min(kMostBlocks, (nodes + kWarps - 1) / kWarps);
  T* partial =
      static_cast<T*>(gpu.scratch(static_cast<std::size_t>(blocks * (kRight + kSize)) * sizeof(T)));
  launch_blocks<kThreads>(gpu, {blocks}, [=] DSNN_GPU(const Place& place) {
    const int lane = place.thread % kWarp, warp = place.thread / kWarp;
    const Tiles<T, kDim> tiles(part, true, place.thread);
    const Left<T, kDim> left(part.left);
    const bool is_in = lane < part.f;
    T outer[kPadded] = {}, right[kWarp] = {};
    for (std::int64_t node = place.block * kWarps + warp; node < nodes; node += blocks * kWarps) {
      T g[kDim], s[kDim], u[kDim], t[kDim];
      DSNN_UNROLL
      for (int i = 0; i < kDim; ++i) {
        const std::int64_t at = (node * kDim + i) * part.f + lane;
        g[i] = is_in ? grad[at] : T{0};
        s[i] = is_in ? drop(part.position + at, x[at]) : T{0};
      }
      tiles.put(g, lane);
      tiles.times_weights(lane, u);
      left.template times<true>(u, t);
      DSNN_UNROLL
      for (int i = 0; i < kDim; ++i) {
        const std::int64_t at = (node * kDim + i) * part.f + lane;
        if (is_in) grad_x[at] = drop(part.position + at, t[i]);
      }
      DSNN_UNROLL
      for (int e = 0; e < kSize; ++e) outer[e] += u[e / kDim] * s[e % kDim];
      if (grad_right == nullptr) continue;
      left.template times<false>(s, t);
      tiles.put(t, lane);
      DSNN_UNROLL
      for (int k = 0; k < kWarp; ++k) {
        DSNN_UNROLL
        for (int i = 0; i < kDim; ++i) {
          right[k] += tiles.rows[k * Tiles<T, kDim>::kPadded + i] * g[i];
        }
      }
    }
    T* sums = shared_array<T, kWarps * kRight, 2>();
    DSNN_UNROLL
    for (int k = 0; k < kWarp; ++k) sums[warp * kRight + k * kWarp + lane] = right[k];
    wait_for_block();
    T* to = partial + place.block * (kRight + kSize);
    for (int e = place.thread; e < kRight; e += kThreads) {
      T sum = 0;
      for (int w = 0; w < kWarps; ++w) sum += sums[w * kRight + e];
      to[e] = sum;
    }
    wait_for_block();
    constexpr int kLanes = kWarp / kPadded;
    const T sum = sum_transposed<kPadded>(outer, lane);
    if (lane % kLanes == 0) sums[warp * kPadded + lane / kLanes] = sum;
    wait_for_block();
    if (place.thread >= kSize) return;
    T all = 0;
    for (int w = 0; w < kWarps; ++w) all += sums[w * kPadded + place.thread];
    to[kRight + place.thread] = all;
  });
  for_warps(gpu, kRight + kSize, [=] DSNN_GPU(std::int64_t e, int lane) {
    double sum = 0;
    for (std::int64_t b = lane; b < blocks; b += kWarp) {
      sum += static_cast<double>(partial[b * (kRight + kSize) + e]);
    }
    sum = warp_sum(sum);
    if (lane > 0) return;
    const std::int64_t k = e / kWarp, c = e % kWarp;
    if (e >= kRight) {
      if (grad_left != nullptr) grad_left[e - kRight] = static_cast<T>(sum);
    } else if (grad_right != nullptr && k < part.f && c < part.f) {
      grad_right[k * part.f + c] = static_cast<T>(sum);
    }
  });
}

/// run.template operator()<kDim>() if there is one for this part.
template <class T, class Run>
bool with_known(const StalkPart<T>& part, const Run& run) {
  const bool is_known = std::is_same_v<T, float> && part.right != nullptr && part.f <= kWarp;
  if (!is_known || part.rows == 0) return false;
  switch (part.d) {
    case 2:
      run.template operator()<2>();
      return true;
    case 3:
      run.template operator()<3>();
      return true;
    case 4:
      run.template operator()<4>();
      return true;
    case 5:
      run.template operator()<5>();
      return true;
    default:
      return false;
  }
}

}  // namespace

template <class T>
bool stalk_rows(const Gpu& gpu, const StalkPart<T>& part, const Drop<T>& drop, const T* x, T* y) {
  return with_known(part, [&]<int kDim>() {
    if constexpr (std::is_same_v<T, float>) forward<T, kDim>(gpu, part, drop, x, y);
  });
}

template <class T>
bool stalk_rows_backward(const Gpu& gpu, const StalkPart<T>& part, const Drop<T>& drop, const T* x,
                         const T* grad, T* grad_x, T* grad_left, T* grad_right) {
  return with_known(part, [&]<int kDim>() {
    if constexpr (std::is_same_v<T, float>) {
      backward<T, kDim>(gpu, part, drop, x, grad, grad_x, grad_left, grad_right);
    }
  });
}

#define DSNN_INSTANTIATE(T)                                                                    \
  template bool stalk_rows(const Gpu&, const StalkPart<T>&, const Drop<T>&, const T*, T*);     \
  template bool stalk_rows_backward(const Gpu&, const StalkPart<T>&, const Drop<T>&, const T*, \
                                    const T*, T*, T*, T*);
DSNN_INSTANTIATE(float)
DSNN_INSTANTIATE(double)
#undef DSNN_INSTANTIATE

}  // namespace dsnn::kernels::cuda
