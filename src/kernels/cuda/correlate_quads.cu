#include "kernels/cuda/diffusion_quads.h"

namespace dsnn::kernels::cuda {
namespace {

/// One warp for a few half-edges of a node, whose own rows it reads once; the first one also has
/// the block on the diagonal.
template <class T, bool kDense, int kMain, int kTail, bool kPlanes>
void correlate_quads(const Gpu& gpu, const GpuBlocks<T>& given, const T* x, const T* grad,
                     T* halves, T* grad_diagonal) {
  const GpuBlocks<T> blocks = given;
  const Pieces pieces = blocks.graph.pieces;
  using Node = NodeRows<kMain, kTail>;
  constexpr std::int64_t kNode = Node::kNode;
  const std::int64_t plane = blocks.graph.num_nodes * kNode;
  // Few where there are few, so that all of the GPU works.
  const std::int64_t chunk = blocks.graph.count < 100'000 ? 2 : 16;
  const std::int64_t parts = (pieces.length + chunk - 1) / chunk;
  for_warps(gpu, pieces.count * parts, [=] DSNN_GPU(std::int64_t number, int lane) {
    using Values = Quads<T, kPlanes>;
    constexpr int kSize = Node::size(kDense), kCount = kDense ? kMain : 1;
    constexpr int kRowLanes = Node::kLanes;
    const GpuGraph& graph = blocks.graph;
    const std::int64_t index = divide(number, parts), part = number - index * parts;
    const Piece piece = pieces.pieces[index];
    const std::int64_t u = piece.row;
    const HalfEdgeId piece_end = pieces.end(piece), begin = piece.begin + part * chunk;
    const HalfEdgeId end = begin + chunk < piece_end ? begin + chunk : piece_end;
    const int row = lane / kRowLanes;
    /// The block of a, the lane's own row of a node, with the rows of another one; a is turned
    /// back.
    const auto correlate = [&](const Values& a, const T* other, T cosine, T sine, T* to) {
      T sums[kCount];
      DSNN_UNROLL
      for (int i = 0; i < kCount; ++i) {
        const T* from =
            other + (kDense ? (i * kRowLanes + lane % kRowLanes) * kQuad : lane * kQuad);
        const Values b = Values::load(from, plane);
        T re = a.re.dot(b.re), im = 0;
        if constexpr (kPlanes) {
          re += a.im.dot(b.im);
          im = a.im.dot(b.re) - a.re.dot(b.im);
        }
        sums[i] = cosine * re + sine * im;
      }
      // Over the lanes of the row; of a dense block, a lane ends with one of the sums.
      int mask = kRowLanes / 2;
      DSNN_UNROLL
      for (int half = kCount / 2; half >= 1; half /= 2, mask /= 2) {
        const bool is_upper = (lane & mask) != 0;
        DSNN_UNROLL
        for (int k = 0; k < half; ++k) {
          const T sent = is_upper ? sums[k] : sums[k + half];
          const T kept = is_upper ? sums[k + half] : sums[k];
          sums[k] = kept + of_lane_xor(sent, mask);
        }
      }
      T sum = sums[0];
      for (; mask > 0; mask /= 2) sum += of_lane_xor(sum, mask);
      constexpr int kSame = kRowLanes / kCount;  // lanes with the same sum
      if (lane % kSame == 0) to[kDense ? row * Node::kDim + lane % kRowLanes / kSame : row] = sum;
      if constexpr (kDense && kTail > 0) {  // entries that mix the row beyond with others
        if (lane < kMain) to[lane * Node::kDim + kMain] = 0;
        if (lane < kMain) to[kMain * Node::kDim + lane] = 0;
      }
    };
    /// The same for the rows beyond, one for each group of lanes.
    const auto correlate_tail = [&](const Values& a, const T* other, T cosine, T sine,
                                    bool is_there, T* to) {
      const Values b = Values::load(other + Node::tail(lane), plane);
      T re = a.re.dot(b.re), im = 0;
      if constexpr (kPlanes) {
        re += a.im.dot(b.im);
        im = a.im.dot(b.re) - a.re.dot(b.im);
      }
      T sum = cosine * re + sine * im;
      for (int mask = kRowLanes / 2; mask > 0; mask /= 2) sum += of_lane_xor(sum, mask);
      if (is_there && lane % kRowLanes == 0) to[kSize - 1] = sum;
    };
    if (begin == graph.row_offsets[u] && part == 0) {
      const Values own = Values::load(grad + u * kNode + lane * kQuad, plane);
      correlate(own, x + u * kNode, 1, 0, grad_diagonal + u * kSize);
      if constexpr (kTail > 0) {
        const Values last = Values::load(grad + u * kNode + Node::tail(lane), plane);
        correlate_tail(last, x + u * kNode, 1, 0, row == 0, grad_diagonal + u * kSize);
      }
    }
    if (begin >= end) return;
    const Phase<T> phase(blocks.charge);
    const Edges edges(graph, begin, end, lane);
    const Values own = Values::load(x + u * kNode + lane * kQuad, plane);
#pragma unroll 2
    for (int i = 0; i < edges.count; ++i) {
      const int orientation = of_lane(edges.orientation, i);
      const T* other = grad + static_cast<std::int64_t>(of_lane(edges.neighbour, i)) * kNode;
      correlate(own, other, cosine_of(phase, orientation), sine_of(phase, orientation),
                halves + (begin + i) * kSize);
    }
    if constexpr (kTail > 0) {
      const Values last = Values::load(x + u * kNode + Node::tail(lane), plane);
      for (int i = 0; i < edges.count; i += kMain) {
        const bool is_there = i + row < edges.count;
        const int edge = is_there ? i + row : i;
        const int orientation = of_lane(edges.orientation, edge);
        const T* other = grad + static_cast<std::int64_t>(of_lane(edges.neighbour, edge)) * kNode;
        correlate_tail(last, other, cosine_of(phase, orientation), sine_of(phase, orientation),
                       is_there, halves + (begin + edge) * kSize);
      }
    }
  });
}

}  // namespace

template <class T>
bool correlate_quad_rows(const Gpu& gpu, const GpuBlocks<T>& blocks, const T* x, const T* grad,
                         T* halves, T* grad_diagonal) {
  if (!is_aligned(x) || !is_aligned(grad)) return false;
  return with_quads(blocks, [&]<bool kDense, int kMain, int kTail, bool kPlanes>() {
    if constexpr (std::is_same_v<T, float>) {
      correlate_quads<T, kDense, kMain, kTail, kPlanes>(gpu, blocks, x, grad, halves,
                                                        grad_diagonal);
    }
  });
}

template bool correlate_quad_rows(const Gpu&, const GpuBlocks<float>&, const float*, const float*,
                                  float*, float*);
template bool correlate_quad_rows(const Gpu&, const GpuBlocks<double>&, const double*,
                                  const double*, double*, double*);

}  // namespace dsnn::kernels::cuda
