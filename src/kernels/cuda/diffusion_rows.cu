#include "kernels/cuda/diffusion_rows.h"

#include <type_traits>

namespace dsnn::kernels::cuda {
namespace {

/// Adds up kCount values of every lane over the lanes of a warp: lane l has the sum of value
/// l / (32 / kCount), kCount a power of two. Every step halves the number of values of a lane.
template <int kCount, class T>
DSNN_GPU_INLINE T sum_transposed(T (&values)[kCount], int lane) {
  int mask = kWarp / 2;
  DSNN_UNROLL
  for (int half = kCount / 2; half >= 1; half /= 2, mask /= 2) {
    const bool is_upper = (lane & mask) != 0;
    DSNN_UNROLL
    for (int k = 0; k < half; ++k) {
      const T sent = is_upper ? values[k] : values[k + half];
      const T kept = is_upper ? values[k + half] : values[k];
      values[k] = kept + of_lane_xor(sent, mask);
    }
  }
  T sum = values[0];
  for (; mask > 0; mask /= 2) sum += of_lane_xor(sum, mask);
  return sum;
}

constexpr int next_power(int n) {
  int power = 1;
  while (power < n) power *= 2;
  return power;
}

/// Real blocks of known size, diagonal or dense.
template <class T, bool kDense, int kDim, bool kPlanes>
struct Rows {
  static constexpr int kSize = kDense ? kDim * kDim : kDim;
  GpuBlocks<T> blocks;

  /// The entries of G_h* G_h', in registers of all lanes.
  DSNN_GPU_INLINE void load(HalfEdgeId h, HalfEdgeId back, int lane, T (&block)[kSize]) const {
    const T* a = blocks.maps + h * kSize;
    const T* b = blocks.maps + back * kSize;
    if constexpr (kDense) {
      T own = 0;  // one entry a lane
      if (lane < kSize) {
        DSNN_UNROLL
        for (int k = 0; k < kDim; ++k) own += a[k * kDim + lane / kDim] * b[k * kDim + lane % kDim];
      }
      DSNN_UNROLL
      for (int e = 0; e < kSize; ++e) block[e] = of_lane(own, e);
    } else {
      DSNN_UNROLL
      for (int e = 0; e < kSize; ++e) block[e] = a[e] * b[e];
    }
  }
  /// sum += block times the rows of a node, at one channel.
  DSNN_GPU_INLINE void add(const T (&block)[kSize], const T* rows, std::int64_t plane, bool is_in,
                           T (&re)[kDim], T (&im)[kDim]) const {
    const std::int64_t f = blocks.channels;
    DSNN_UNROLL
    for (int j = 0; j < kDim; ++j) {
      const T x = is_in ? rows[j * f] : T{0};
      const T x_im = kPlanes && is_in ? rows[plane + j * f] : T{0};
      DSNN_UNROLL
      for (int i = 0; i < kDim; ++i) {
        if (!kDense && i != j) continue;
        const T b = block[kDense ? i * kDim + j : i];
        re[i] += b * x;
        if constexpr (kPlanes) im[i] += b * x_im;
      }
    }
  }
};

template <class T, bool kDense, int kDim, bool kPlanes>
void gather_known(const Gpu& gpu, const GpuBlocks<T>& blocks, const T* z, T* y, const T* x,
                  double* charges) {
  const Rows<T, kDense, kDim, kPlanes> rows{blocks};
  const std::int64_t f = blocks.channels, node_size = kDim * f;
  const std::int64_t nodes = blocks.graph.num_nodes, plane = nodes * node_size;
  for_warps(gpu, nodes, [=] DSNN_GPU(std::int64_t u, int lane) {
    constexpr int kSize = kDense ? kDim * kDim : kDim;
    const GpuGraph& graph = rows.blocks.graph;
    const Phase<T> phase(rows.blocks.charge);
    const HalfEdgeId begin = graph.row_offsets[u], end = graph.row_offsets[u + 1];
    double charge = 0;
    for (std::int64_t first = 0; first < f; first += kWarp) {
      const std::int64_t c = first + lane;
      const bool is_in = c < f;
      T block[kSize], total[kDim] = {}, total_im[kDim] = {};
      DSNN_UNROLL
      for (int e = 0; e < kSize; ++e) block[e] = rows.blocks.diagonal[u * kSize + e];
      rows.add(block, z + u * node_size + c, plane, is_in, total, total_im);
      for (HalfEdgeId h = begin; h < end;) {
        const HalfEdgeId stop = h + kRun < end ? h + kRun : end;
        T run[kDim] = {}, run_im[kDim] = {};
        for (; h < stop; ++h) {
          T sum[kDim] = {}, sum_im[kDim] = {};
          rows.load(h, graph.reverse(h), lane, block);
          rows.add(block, z + graph.neighbours[h] * node_size + c, plane, is_in, sum, sum_im);
          const int orientation = graph.orientations[h];
          DSNN_UNROLL
          for (int i = 0; i < kDim; ++i) {
            const Pair<T> turned = phase.turn(orientation, {sum[i], sum_im[i]});
            run[i] += turned.re;
            run_im[i] += turned.im;
            if (charges != nullptr && orientation != 0 && is_in) {
              const T* own = x + u * node_size + i * f + c;
              const T part = own[0] * turned.im - own[plane] * turned.re;
              charge += static_cast<double>(orientation > 0 ? part : -part);
            }
          }
        }
        DSNN_UNROLL
        for (int i = 0; i < kDim; ++i) {
          total[i] -= run[i];
          total_im[i] -= run_im[i];
        }
      }
      DSNN_UNROLL
      for (int i = 0; i < kDim; ++i) {
        T* to = y + u * node_size + i * f + c;
        if (is_in) to[0] = total[i];
        if (is_in && kPlanes) to[plane] = total_im[i];
      }
    }
    if (charges == nullptr) return;
    charge = warp_sum(charge);
    if (lane == 0) charges[u] = charge;
  });
}

template <class T, bool kDense, int kDim, bool kPlanes>
void correlate_known(const Gpu& gpu, const GpuBlocks<T>& blocks, const T* x, const T* grad,
                     T* halves) {
  const GpuBlocks<T> given = blocks;
  const std::int64_t f = blocks.channels, node_size = kDim * f;
  const std::int64_t plane = blocks.graph.num_nodes * node_size;
  for_warps(gpu, blocks.graph.count, [=] DSNN_GPU(std::int64_t h, int lane) {
    constexpr int kSize = kDense ? kDim * kDim : kDim, kPadded = next_power(kSize);
    const Phase<T> phase(given.charge);
    const int orientation = given.graph.orientations[h];
    const T* own_rows = x + given.graph.nodes[h] * node_size;
    const T* rows = grad + given.graph.neighbours[h] * node_size;
    T sums[kPadded] = {};
    for (std::int64_t c = lane; c < f; c += kWarp) {
      T own[kDim], own_im[kDim];
      DSNN_UNROLL
      for (int j = 0; j < kDim; ++j) {
        const Pair<T> turned = phase.turn_back(
            orientation, {own_rows[j * f + c], kPlanes ? own_rows[plane + j * f + c] : T{0}});
        own[j] = turned.re;
        own_im[j] = turned.im;
      }
      DSNN_UNROLL
      for (int i = 0; i < kDim; ++i) {
        const T g = rows[i * f + c];
        const T g_im = kPlanes ? rows[plane + i * f + c] : T{0};
        DSNN_UNROLL
        for (int j = 0; j < kDim; ++j) {
          if (!kDense && i != j) continue;
          T& sum = sums[kDense ? j * kDim + i : i];
          sum += own[j] * g;
          if constexpr (kPlanes) sum += own_im[j] * g_im;
        }
      }
    }
    const T sum = sum_transposed<kPadded>(sums, lane);
    constexpr int kLanes = kWarp / kPadded;
    if (lane % kLanes == 0 && lane / kLanes < kSize) halves[h * kSize + lane / kLanes] = sum;
  });
}

/// run.template operator()<kDense, kDim, kPlanes>() if there is one for these blocks.
template <class T, class Run>
bool with_known(const GpuBlocks<T>& blocks, const Run& run) {
  if (!std::is_same_v<T, float> || blocks.is_complex()) return false;
  const auto with_planes = [&]<bool kDense, int kDim>() {
    if (blocks.planes == 2) {
      run.template operator()<kDense, kDim, true>();
    } else {
      run.template operator()<kDense, kDim, false>();
    }
    return true;
  };
  const auto with_dim = [&]<int kDim>() {
    return blocks.is_diagonal() ? with_planes.template operator()<false, kDim>()
                                : with_planes.template operator()<true, kDim>();
  };
  switch (blocks.dim) {
    case 2:
      return with_dim.template operator()<2>();
    case 3:
      return with_dim.template operator()<3>();
    case 4:
      return with_dim.template operator()<4>();
    case 5:
      return with_dim.template operator()<5>();
    default:
      return false;
  }
}

}  // namespace

template <class T>
bool gather_rows(const Gpu& gpu, const GpuBlocks<T>& blocks, const T* z, T* y, const T* x,
                 double* charges) {
  return with_known(blocks, [&]<bool kDense, int kDim, bool kPlanes>() {
    if constexpr (std::is_same_v<T, float>) {
      gather_known<T, kDense, kDim, kPlanes>(gpu, blocks, z, y, x, charges);
    }
  });
}

template <class T>
bool correlate_rows(const Gpu& gpu, const GpuBlocks<T>& blocks, const T* x, const T* grad,
                    T* halves) {
  return with_known(blocks, [&]<bool kDense, int kDim, bool kPlanes>() {
    if constexpr (std::is_same_v<T, float>) {
      correlate_known<T, kDense, kDim, kPlanes>(gpu, blocks, x, grad, halves);
    }
  });
}

#define DSNN_INSTANTIATE(T)                                                                    \
  template bool gather_rows(const Gpu&, const GpuBlocks<T>&, const T*, T*, const T*, double*); \
  template bool correlate_rows(const Gpu&, const GpuBlocks<T>&, const T*, const T*, T*);
DSNN_INSTANTIATE(float)
DSNN_INSTANTIATE(double)
#undef DSNN_INSTANTIATE

}  // namespace dsnn::kernels::cuda
