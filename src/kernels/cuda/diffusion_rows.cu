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
  int* counters = gpu.counters(static_cast<std::size_t>(pieces.num_long));
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
      for (HalfEdgeId begin = piece.begin; begin < end; begin += kWarp) {
        // What is known about the next half-edges, one in each lane.
        const HalfEdgeId own_edge = begin + lane < end ? begin + lane : piece.begin;
        const NodeId neighbour = graph.neighbours[own_edge];
        const HalfEdgeId reverse = graph.reverse(own_edge);
        const int own_orientation = graph.orientations[own_edge];
        const int count = static_cast<int>(end - begin < kWarp ? end - begin : kWarp);
#pragma unroll 2
        for (int i = 0; i < count; ++i) {
          T sum[kDim] = {}, sum_im[kDim] = {};
          rows.load(begin + i, of_lane(reverse, i), lane, block);
          rows.add(block, z + of_lane(neighbour, i) * node_size + c, plane, is_in, sum, sum_im);
          const int orientation = of_lane(own_orientation, i);
          DSNN_UNROLL
          for (int k = 0; k < kDim; ++k) {
            const Pair<T> turned = phase.turn(orientation, {sum[k], sum_im[k]});
            run[k] += turned.re;
            run_im[k] += turned.im;
            if (charges != nullptr && orientation != 0 && is_in) {
              const T* own = x + u * node_size + k * f + c;
              const T part = own[0] * turned.im - own[plane] * turned.re;
              charge += static_cast<double>(orientation > 0 ? part : -part);
            }
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
    if (charges != nullptr) {
      charge = warp_sum(charge);
      if (lane == 0) (is_whole ? charges + u : partial_charges + piece.slot)[0] = charge;
    }
    if (is_whole) return;
    const LongRow row = pieces.long_rows[piece.long_row];
    if (!is_last_warp(counters + piece.long_row, row.num_slots, lane)) return;
    for (std::int64_t c = lane; c < f; c += kWarp) {
      T block[kSize], total[kDim] = {}, total_im[kDim] = {}, sum[kDim] = {}, sum_im[kDim] = {};
      DSNN_UNROLL
      for (int e = 0; e < kSize; ++e) block[e] = rows.blocks.diagonal[u * kSize + e];
      rows.add(block, z + u * node_size + c, plane, true, total, total_im);
#pragma unroll 4
      for (int s = 0; s < row.num_slots; ++s) {
        const T* from = partial + (row.first_slot + s) * kParts * node_size + c;
        DSNN_UNROLL
        for (int i = 0; i < kDim; ++i) {
          sum[i] += from[i * f];
          if constexpr (kPlanes) sum_im[i] += from[node_size + i * f];
        }
      }
      DSNN_UNROLL
      for (int i = 0; i < kDim; ++i) {
        T* to = y + u * node_size + i * f + c;
        to[0] = total[i] - sum[i];
        if constexpr (kPlanes) to[plane] = total_im[i] - sum_im[i];
      }
    }
    if (charges == nullptr) return;
    charge = 0;
    for (int s = lane; s < row.num_slots; s += kWarp) charge += partial_charges[row.first_slot + s];
    charge = warp_sum(charge);
    if (lane == 0) charges[u] = charge;
  });
}

/// The rows of a node or half-edge at one channel, turned back by the phase.
template <class T, int kDim, bool kPlanes>
struct Lane {
  T re[kDim], im[kDim];

  DSNN_GPU_INLINE Lane(const T* rows, std::int64_t f, std::int64_t plane, bool is_in) {
    DSNN_UNROLL
    for (int i = 0; i < kDim; ++i) {
      re[i] = is_in ? rows[i * f] : T{0};
      im[i] = kPlanes && is_in ? rows[plane + i * f] : T{0};
    }
  }
  /// sums[j, i] += re(conj(the turned a_j) b_i), for a diagonal block only i = j.
  template <bool kDense, int kCount>
  static DSNN_GPU_INLINE void add_products(const Lane& a, const Lane& b, const Phase<T>& phase,
                                           int orientation, T (&sums)[kCount]) {
    DSNN_UNROLL
    for (int j = 0; j < kDim; ++j) {
      const Pair<T> own = phase.turn_back(orientation, {a.re[j], a.im[j]});
      DSNN_UNROLL
      for (int i = 0; i < kDim; ++i) {
        if (!kDense && i != j) continue;
        T& sum = sums[kDense ? j * kDim + i : i];
        sum += own.re * b.re[i];
        if constexpr (kPlanes) sum += own.im * b.im[i];
      }
    }
  }
};

/// One warp for a few half-edges of a node, the first of which is the node itself: its block is on
/// the diagonal.
template <class T, bool kDense, int kDim, bool kPlanes>
void correlate_known(const Gpu& gpu, const GpuBlocks<T>& blocks, const T* x, const T* grad,
                     T* halves, T* grad_diagonal) {
  const GpuBlocks<T> given = blocks;
  const Pieces pieces = blocks.graph.pieces;
  const std::int64_t f = blocks.channels, node_size = kDim * f;
  const std::int64_t plane = blocks.graph.num_nodes * node_size;
  // Few where there are few, so that all of the GPU works.
  const std::int64_t chunk = blocks.graph.count < 100'000 ? 2 : 16;
  const std::int64_t parts = (pieces.length + chunk - 1) / chunk;
  for_warps(gpu, pieces.count * parts, [=] DSNN_GPU(std::int64_t number, int lane) {
    constexpr int kSize = kDense ? kDim * kDim : kDim, kPadded = next_power(kSize);
    constexpr int kLanes = kWarp / kPadded;
    const GpuGraph& graph = given.graph;
    const std::int64_t index = divide(number, parts), part = number - index * parts;
    const Piece piece = pieces.pieces[index];
    const std::int64_t u = piece.row;
    const HalfEdgeId piece_end = pieces.end(piece), begin = piece.begin + part * chunk;
    const HalfEdgeId end = begin + chunk < piece_end ? begin + chunk : piece_end;
    const Phase<T> phase(given.charge);
    const auto write = [&](T(&sums)[kPadded], T* to) {
      const T sum = sum_transposed<kPadded>(sums, lane);
      if (lane % kLanes == 0 && lane / kLanes < kSize) to[lane / kLanes] = sum;
    };
    using Rows = Lane<T, kDim, kPlanes>;
    if (begin == graph.row_offsets[u] && part == 0) {
      T sums[kPadded] = {};
      for (std::int64_t c = lane; c - lane < f; c += kWarp) {
        const Rows a(grad + u * node_size + c, f, plane, c < f);
        const Rows b(x + u * node_size + c, f, plane, c < f);
        Rows::template add_products<kDense>(a, b, phase, 0, sums);
      }
      write(sums, grad_diagonal + u * kSize);
    }
    if (begin >= end) return;
    const HalfEdgeId own_edge = begin + lane < end ? begin + lane : begin;
    const NodeId own_neighbour = graph.neighbours[own_edge];
    const int own_orientation = graph.orientations[own_edge];
    if (f <= kWarp) {  // the rows of u are read once
      const bool is_in = lane < f;
      const Rows a(x + u * node_size + lane, f, plane, is_in);
#pragma unroll 2
      for (HalfEdgeId h = begin; h < end; ++h) {
        const int i = static_cast<int>(h - begin);
        const Rows b(grad + of_lane(own_neighbour, i) * node_size + lane, f, plane, is_in);
        T sums[kPadded] = {};
        Rows::template add_products<kDense>(a, b, phase, of_lane(own_orientation, i), sums);
        write(sums, halves + h * kSize);
      }
      return;
    }
    for (HalfEdgeId h = begin; h < end; ++h) {
      const int i = static_cast<int>(h - begin);
      const T* rows = grad + of_lane(own_neighbour, i) * node_size;
      const int orientation = of_lane(own_orientation, i);
      T sums[kPadded] = {};
      for (std::int64_t c = lane; c - lane < f; c += kWarp) {
        const Rows a(x + u * node_size + c, f, plane, c < f);
        const Rows b(rows + c, f, plane, c < f);
        Rows::template add_products<kDense>(a, b, phase, orientation, sums);
      }
      write(sums, halves + h * kSize);
    }
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
                    T* halves, T* grad_diagonal) {
  return with_known(blocks, [&]<bool kDense, int kDim, bool kPlanes>() {
    if constexpr (std::is_same_v<T, float>) {
      correlate_known<T, kDense, kDim, kPlanes>(gpu, blocks, x, grad, halves, grad_diagonal);
    }
  });
}

#define DSNN_INSTANTIATE(T)                                                                    \
  template bool gather_rows(const Gpu&, const GpuBlocks<T>&, const T*, T*, const T*, double*); \
  template bool correlate_rows(const Gpu&, const GpuBlocks<T>&, const T*, const T*, T*, T*);
DSNN_INSTANTIATE(float)
DSNN_INSTANTIATE(double)
#undef DSNN_INSTANTIATE

}  // namespace dsnn::kernels::cuda
