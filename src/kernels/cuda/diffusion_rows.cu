#include "kernels/cuda/diffusion_rows.h"

#include <type_traits>

namespace dsnn::kernels::cuda {
namespace {

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
  const Pieces pieces = blocks.graph.pieces;
  const std::int64_t f = blocks.channels, node_size = kDim * f;
  const std::int64_t plane = blocks.graph.num_nodes * node_size;
  constexpr int kParts = kPlanes ? 2 : 1;
  // Of long rows, the sums and the charges of their pieces.
  const auto slots = static_cast<std::size_t>(pieces.num_slots);
  T* partial = static_cast<T*>(
      gpu.scratch(slots * static_cast<std::size_t>(kParts * node_size) * sizeof(T)));
  double* partial_charges = static_cast<double*>(gpu.scratch(slots * sizeof(double)));
  for_warps(gpu, pieces.count, [=] DSNN_GPU(std::int64_t number, int lane) {
    constexpr int kSize = kDense ? kDim * kDim : kDim;
    const GpuGraph& graph = rows.blocks.graph;
    const Piece piece = pieces.pieces[number];
    const bool is_whole = piece.slot < 0;
    const std::int64_t u = piece.row;
    const HalfEdgeId end = pieces.end(piece);
    const Phase<T> phase(rows.blocks.charge);
    double charge = 0;
    for (std::int64_t first = 0; first < f; first += kWarp) {
      const std::int64_t c = first + lane;
      const bool is_in = c < f;
      T block[kSize], run[kDim] = {}, run_im[kDim] = {};
      for (HalfEdgeId h = piece.begin; h < end; ++h) {
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
      if (is_whole) {
        T total[kDim] = {}, total_im[kDim] = {};
        DSNN_UNROLL
        for (int e = 0; e < kSize; ++e) block[e] = rows.blocks.diagonal[u * kSize + e];
        rows.add(block, z + u * node_size + c, plane, is_in, total, total_im);
        DSNN_UNROLL
        for (int i = 0; i < kDim; ++i) {
          run[i] = total[i] - run[i];
          run_im[i] = total_im[i] - run_im[i];
        }
      }
      T* to = is_whole ? y + u * node_size : partial + piece.slot * kParts * node_size;
      DSNN_UNROLL
      for (int i = 0; i < kDim; ++i) {
        if (is_in) to[i * f + c] = run[i];
        if (is_in && kPlanes) to[(is_whole ? plane : node_size) + i * f + c] = run_im[i];
      }
    }
    if (charges == nullptr) return;
    charge = warp_sum(charge);
    if (lane == 0) (is_whole ? charges + u : partial_charges + piece.slot)[0] = charge;
  });
  for_cells(gpu, pieces.num_long, kParts * node_size, [=] DSNN_GPU(std::int64_t n, std::int64_t k) {
    const LongRow row = pieces.long_rows[n];
    const std::int64_t u = row.row, part = k / node_size, e = k - part * node_size;
    const std::int64_t i = e / f, c = e - i * f;
    T total = 0, sum = 0;
    for (int j = 0; j < kDim; ++j) {
      if (!kDense && i != j) continue;
      total += rows.blocks.diagonal[kDense ? (u * kDim + i) * kDim + j : u * kDim + i] *
               z[part * plane + u * node_size + j * f + c];
    }
#pragma unroll 8
    for (int s = 0; s < row.num_slots; ++s) {
      sum += partial[(row.first_slot + s) * kParts * node_size + k];
    }
    y[part * plane + u * node_size + e] = total - sum;
    if (charges == nullptr || k > 0) return;
    double charge = 0;
    for (int s = 0; s < row.num_slots; ++s) charge += partial_charges[row.first_slot + s];
    charges[u] = charge;
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
