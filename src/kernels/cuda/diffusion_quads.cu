#include "kernels/cuda/diffusion_quads.h"

namespace dsnn::kernels::cuda {
namespace {

/// Sums over the half-edges of one node; of a dense block, a lane has the parts of all rows that
/// come from its own one.
template <class T, bool kDense, int kDim, bool kPlanes>
struct Sums {
  static constexpr int kCount = kDense ? kDim : 1;
  Quads<T, kPlanes> rows[kCount];

  DSNN_GPU_INLINE void add(const T (&column)[kCount], T cosine, T sine,
                           const Quads<T, kPlanes>& x) {
    if constexpr (!kDense) return rows[0].add(column[0] * cosine, column[0] * sine, x);
    Quads<T, kPlanes> turned;
    turned.add(cosine, sine, x);
    DSNN_UNROLL
    for (int i = 0; i < kCount; ++i) {
      rows[i].re.add(column[i], turned.re);
      if constexpr (kPlanes) rows[i].im.add(column[i], turned.im);
    }
  }
  /// The sum of the lane's own row.
  DSNN_GPU_INLINE const Quads<T, kPlanes>& join(int lane) {
    if constexpr (kDense) {
      int mask = kWarp / 2;
      DSNN_UNROLL
      for (int half = kDim / 2; half >= 1; half /= 2, mask /= 2) {
        const bool is_upper = (lane & mask) != 0;
        DSNN_UNROLL
        for (int k = 0; k < half; ++k) {
          exchange(rows[k].re, rows[k + half].re, is_upper, mask);
          if constexpr (kPlanes) exchange(rows[k].im, rows[k + half].im, is_upper, mask);
        }
      }
    }
    return rows[0];
  }

 private:
  DSNN_GPU_INLINE static void exchange(Quad<T>& a, const Quad<T>& b, bool is_upper, int mask) {
    DSNN_UNROLL
    for (int c = 0; c < kQuad; ++c) {
      const T sent = is_upper ? a.v[c] : b.v[c], kept = is_upper ? b.v[c] : a.v[c];
      a.v[c] = kept + of_lane_xor(sent, mask);
    }
  }
};

/// The sums of the lanes with the same channels, in all of them.
template <class T, bool kPlanes>
DSNN_GPU_INLINE void sum_over_rows(Quads<T, kPlanes>& x, int row_lanes) {
  for (int mask = row_lanes; mask < kWarp; mask *= 2) {
    DSNN_UNROLL
    for (int c = 0; c < kQuad; ++c) {
      x.re.v[c] += of_lane_xor(x.re.v[c], mask);
      if constexpr (kPlanes) x.im.v[c] += of_lane_xor(x.im.v[c], mask);
    }
  }
}

template <class T, bool kDense, int kMain, int kTail, bool kPlanes, bool kCharges>
void gather_quads(const Gpu& gpu, const GpuBlocks<T>& given, const T* z, T* y, const T* x,
                  double* charges) {
  const GpuBlocks<T> blocks = given;
  const Pieces pieces = blocks.graph.pieces;
  using Node = NodeRows<kMain, kTail>;
  constexpr int kSize = Node::size(kDense), kParts = kPlanes ? 2 : 1;
  constexpr std::int64_t kNode = Node::kNode;
  const std::int64_t plane = blocks.graph.num_nodes * kNode;
  // Of long rows, the sums and the charges of their pieces.
  const auto slots = static_cast<std::size_t>(pieces.num_slots);
  T* partial = static_cast<T*>(gpu.scratch(slots * kParts * kNode * sizeof(T)));
  double* partial_charges = static_cast<double*>(gpu.scratch(slots * sizeof(double)));
  int* counters = gpu.counters(static_cast<std::size_t>(pieces.num_long));
  for_warps(gpu, pieces.count, [=] DSNN_GPU(std::int64_t number, int lane) {
    using Sum = Sums<T, kDense, kMain, kPlanes>;
    // Half-edges whose blocks the lanes have, an entry each.
    constexpr int kMixing = Node::mixing(kDense), kBatch = kWarp / kMixing;
    const GpuGraph& graph = blocks.graph;
    const Piece piece = pieces.pieces[number];
    const std::int64_t u = piece.row;
    const HalfEdgeId end = pieces.end(piece);
    const Phase<T> phase(blocks.charge);
    const int row = lane / Node::kLanes, entry = lane % kMixing;
    const bool is_whole = piece.slot < 0;
    const T* const own_rows = x + u * kNode + lane * kQuad;  // if there are charges
    const T* const own_tail = x + u * kNode + Node::tail(lane);
    double* const charge_of_node = charges + u;
    double* const charge_of_piece = partial_charges + piece.slot;
    Sum sum, oriented;
    Quads<T, kPlanes> tail, oriented_tail;
    T column[Sum::kCount];
    for (HalfEdgeId begin = piece.begin; begin < end; begin += kWarp) {
      const Edges edges(graph, begin, end, lane);
#pragma unroll 2
      for (int first = 0; first < edges.count; first += kBatch) {
        const int edge = first + lane / kMixing < edges.count ? first + lane / kMixing : 0;
        const T* a = blocks.maps + (begin + edge) * kSize;
        const auto back = static_cast<std::int64_t>(of_lane(edges.reverse, edge));
        const T* b = blocks.maps + back * kSize;
        T own = 0;
        if constexpr (kDense) {
          DSNN_UNROLL
          for (int k = 0; k < kMain; ++k) {
            own += a[k * Node::kDim + entry / kMain] * b[k * Node::kDim + entry % kMain];
          }
        } else {
          own = a[entry] * b[entry];
        }
        DSNN_UNROLL
        for (int i = 0; i < kBatch; ++i) {
          if (first + i >= edges.count) break;
          const NodeId neighbour = of_lane(edges.neighbour, first + i);
          const int orientation = of_lane(edges.orientation, first + i);
          DSNN_UNROLL
          for (int k = 0; k < Sum::kCount; ++k) {
            column[k] = of_lane(own, i * kMixing + (kDense ? k * kMain : 0) + row);
          }
          const auto values = Quads<T, kPlanes>::load(
              z + static_cast<std::int64_t>(neighbour) * kNode + lane * kQuad, plane);
          const T cosine = cosine_of(phase, orientation), sine = sine_of(phase, orientation);
          sum.add(column, cosine, sine, values);
          if constexpr (kCharges) {
            const auto sign = static_cast<T>(orientation);
            oriented.add(column, sign * cosine, sign * sine, values);
          }
        }
      }
      if constexpr (kTail > 0) {  // of one half-edge in each group of lanes
#pragma unroll 2
        for (int first = 0; first < edges.count; first += kMain) {
          const bool is_there = first + row < edges.count;
          const int edge = is_there ? first + row : 0;
          const NodeId neighbour = of_lane(edges.neighbour, edge);
          const int orientation = of_lane(edges.orientation, edge);
          const auto back = static_cast<std::int64_t>(of_lane(edges.reverse, edge));
          const T factor = blocks.maps[(begin + edge) * kSize + kSize - 1] *
                           blocks.maps[back * kSize + kSize - 1];
          const auto values = Quads<T, kPlanes>::load(
              z + static_cast<std::int64_t>(neighbour) * kNode + Node::tail(lane), plane);
          const T cosine = is_there ? factor * cosine_of(phase, orientation) : T{0};
          const T sine = is_there ? factor * sine_of(phase, orientation) : T{0};
          tail.add(cosine, sine, values);
          if constexpr (kCharges) {
            const auto sign = static_cast<T>(orientation);
            oriented_tail.add(sign * cosine, sign * sine, values);
          }
        }
      }
    }
    if (piece.begin == graph.row_offsets[u]) {  // the first piece has the diagonal block
      DSNN_UNROLL
      for (int k = 0; k < Sum::kCount; ++k) {
        column[k] = -blocks.diagonal[u * kSize + (kDense ? k * Node::kDim : 0) + row];
      }
      sum.add(column, 1, 0, Quads<T, kPlanes>::load(z + u * kNode + lane * kQuad, plane));
      if constexpr (kTail > 0) {
        const T factor = row == 0 ? -blocks.diagonal[u * kSize + kSize - 1] : T{0};
        tail.add(factor, 0, Quads<T, kPlanes>::load(z + u * kNode + Node::tail(lane), plane));
      }
    }
    const Quads<T, kPlanes>& total = sum.join(lane);
    if (is_whole) {
      total.store(y + u * kNode + lane * kQuad, plane, -1);
    } else {
      total.store(partial + piece.slot * kParts * kNode + lane * kQuad, kNode, 1);
    }
    if constexpr (kTail > 0) {
      sum_over_rows(tail, Node::kLanes);
      if (row == 0 && is_whole) tail.store(y + u * kNode + Node::tail(lane), plane, -1);
      if (row == 0 && !is_whole) {
        tail.store(partial + piece.slot * kParts * kNode + Node::tail(lane), kNode, 1);
      }
    }
    if constexpr (kCharges) {
      const auto own = Quads<T, kPlanes>::load(own_rows, plane);
      const Quads<T, kPlanes>& turned = oriented.join(lane);
      double charge =
          static_cast<double>(own.re.dot(turned.im)) - static_cast<double>(own.im.dot(turned.re));
      if constexpr (kTail > 0) {  // every lane has a part of the sum
        const auto last = Quads<T, kPlanes>::load(own_tail, plane);
        charge += static_cast<double>(last.re.dot(oriented_tail.im)) -
                  static_cast<double>(last.im.dot(oriented_tail.re));
      }
      charge = warp_sum(charge);
      if (lane == 0) *(is_whole ? charge_of_node : charge_of_piece) = charge;
    }
    if (is_whole) return;
    const LongRow long_row = pieces.long_rows[piece.long_row];
    if (!is_last_warp(counters + piece.long_row, long_row.num_slots, lane)) return;
    Quads<T, kPlanes> all, all_tail;
#pragma unroll 4
    for (int s = 0; s < long_row.num_slots; ++s) {
      const T* from = partial + (long_row.first_slot + s) * kParts * kNode;
      all.add(1, 0, Quads<T, kPlanes>::load(from + lane * kQuad, kNode));
      if constexpr (kTail > 0) {
        all_tail.add(1, 0, Quads<T, kPlanes>::load(from + Node::tail(lane), kNode));
      }
    }
    all.store(y + u * kNode + lane * kQuad, plane, -1);
    if constexpr (kTail > 0) {
      if (row == 0) all_tail.store(y + u * kNode + Node::tail(lane), plane, -1);
    }
    if constexpr (kCharges) {
      const double* parts = charge_of_piece - piece.slot + long_row.first_slot;
      double charge = 0;
      for (int s = lane; s < long_row.num_slots; s += kWarp) charge += parts[s];
      charge = warp_sum(charge);
      if (lane == 0) *charge_of_node = charge;
    }
  });
}

}  // namespace

template <class T>
bool gather_quad_rows(const Gpu& gpu, const GpuBlocks<T>& blocks, const T* z, T* y, const T* x,
                      double* charges) {
  if (!is_aligned(z) || !is_aligned(y) || !is_aligned(x)) return false;
  return with_quads(blocks, [&]<bool kDense, int kMain, int kTail, bool kPlanes>() {
    if constexpr (std::is_same_v<T, float>) {
      if constexpr (kPlanes) {
        if (charges != nullptr) {
          return gather_quads<T, kDense, kMain, kTail, true, true>(gpu, blocks, z, y, x, charges);
        }
      }
      gather_quads<T, kDense, kMain, kTail, kPlanes, false>(gpu, blocks, z, y, x, charges);
    }
  });
}

template bool gather_quad_rows(const Gpu&, const GpuBlocks<float>&, const float*, float*,
                               const float*, double*);
template bool gather_quad_rows(const Gpu&, const GpuBlocks<double>&, const double*, double*,
                               const double*, double*);

}  // namespace dsnn::kernels::cuda
