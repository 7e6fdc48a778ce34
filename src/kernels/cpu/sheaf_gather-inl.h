// The gather of sheaf_diffusion.h over the blocks of one kind (sheaf_blocks-inl.h,
// complex_block-inl.h). Compiled once for each instruction set.
//
// One gather per node: every half-edge reads the neighbour's rows once, and these are the only
// non-local reads. Sums stay in the first-level cache, and every result is written by the one
// thread that owns it, so there are no atomics and no order of threads to depend on.
//
// T_h has three values, one per orientation. Sums are kept separately by orientation and multiplied
// by T_h once per node: the inner loops are free of complex numbers.
#if defined(DSNN_KERNELS_CPU_SHEAF_GATHER_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DSNN_KERNELS_CPU_SHEAF_GATHER_INL_H_
#undef DSNN_KERNELS_CPU_SHEAF_GATHER_INL_H_
#else
#define DSNN_KERNELS_CPU_SHEAF_GATHER_INL_H_
#endif

#include "dsnn/sheaf/phase.h"

#include "kernels/cpu/sheaf_blocks-inl.h"
#include "kernels/cpu/sheaf_gather.h"
#include "kernels/cpu/vector-inl.h"
#include "kernels/scratch.h"

#include <algorithm>
#include <cstdint>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace dsnn::kernels::HWY_NAMESPACE {

/// Prefetches the data of later half-edges, so that the gather does not wait for memory. Rows are
/// prefetched to the second-level cache, which allows many more outstanding requests than the first
/// (this alone doubles the bandwidth). The address of the neighbour's map depends on row_offsets, a
/// non-local read that is prefetched earlier.
template <class D, class T = hn::TFromD<D>>
class Prefetch {
 public:
  Prefetch(const Diffusion<T>& op, const Shape<D>& shape, std::int64_t map_size,
           bool has_complex_maps, const T* x)
      : op_(op),
        shape_(shape),
        map_size_(map_size),
        imaginary_(has_complex_maps ? op.graph.count() * map_size : 0),
        x_(x) {
    // Short rows are processed faster, so they are prefetched earlier.
    constexpr std::int64_t kShortRow = 64;
    if (shape.dim * shape.f <= kShortRow) {
      rows_ahead_ = 16;
      offsets_ahead_ = 40;
    }
  }

  /// Starts with the half-edges [begin, end).
  HWY_INLINE void start(HalfEdgeId begin, HalfEdgeId end) {
    end_ = end;
    for (HalfEdgeId h = begin; h < std::min(begin + offsets_ahead_, end); ++h) offsets_of(h);
    for (HalfEdgeId h = begin; h < std::min(begin + rows_ahead_, end); ++h) rows_of(h);
  }
  /// Half-edge h is next.
  HWY_INLINE void advance(HalfEdgeId h) {
    if (h + offsets_ahead_ < end_) offsets_of(h + offsets_ahead_);
    if (h + rows_ahead_ < end_) rows_of(h + rows_ahead_);
  }

 private:
  HWY_INLINE void offsets_of(HalfEdgeId h) const {
    __builtin_prefetch(op_.graph.row_offsets + op_.graph.neighbours[h]);
  }
  HWY_INLINE void rows_of(HalfEdgeId h) const {
    const std::int64_t node = op_.graph.neighbours[h] * shape_.dim * shape_.f;
    for (std::int64_t plane = 0; plane < shape_.planes; ++plane) {
      lines(x_ + plane * shape_.plane_stride + node, shape_.dim * shape_.f);
    }
    const T* map = op_.maps + op_.graph.reverse(h) * map_size_;
    lines(map, map_size_);
    if (imaginary_ != 0) lines(map + imaginary_, map_size_);
  }
  HWY_INLINE static void lines(const T* begin, std::int64_t count) {
    constexpr std::uintptr_t kLine = 64;
    const auto end = reinterpret_cast<std::uintptr_t>(begin + count);
    for (auto line = reinterpret_cast<std::uintptr_t>(begin) & ~(kLine - 1); line < end;
         line += kLine) {
      __builtin_prefetch(reinterpret_cast<const void*>(line), 0, 2);
    }
  }

  const Diffusion<T>& op_;
  const Shape<D>& shape_;
  std::int64_t map_size_;
  std::int64_t imaginary_;  // from a map to its imaginary part; 0 if it has none
  const T* x_;
  HalfEdgeId rows_ahead_ = 8, offsets_ahead_ = 24;
  HalfEdgeId end_ = 0;
};

/// T_h, and the sums that it will multiply.
template <class T>
struct Turn {
  T cos = 1;
  T sin = 0;
  int orientation = 0;
  T* sums = nullptr;  // [rows, fp]
  bool is_used = false;
};

/// Scratch memory of one worker: the sums of each orientation, and optional extra rows.
template <class T>
class NodeSums {
 public:
  NodeSums(double charge, std::int64_t node_size, bool has_phase, int extra)
      : num_turns_(has_phase ? 3 : 1), node_size_(node_size) {
    const std::int64_t count = (num_turns_ + extra) * node_size_;
    memory_.resize(static_cast<std::size_t>(count));
    const Complex phase = unit_phase(charge);
    for (int t = 0; t < num_turns_; ++t) {
      Turn<T>& turn = turns_[t];
      turn.orientation = has_phase ? t - 1 : 0;
      turn.cos = turn.orientation == 0 ? T{1} : static_cast<T>(phase.real());
      turn.sin = static_cast<T>(turn.orientation * phase.imag());
      turn.sums = memory_.data() + t * node_size_;
    }
  }
  int num_turns() const { return num_turns_; }
  Turn<T>& turn(int t) { return turns_[t]; }
  /// The orientation index of a half-edge.
  Turn<T>& turn_of(int orientation) { return turns_[num_turns_ == 1 ? 0 : orientation + 1]; }
  T* extra(int i) { return memory_.data() + (num_turns_ + i) * node_size_; }
  std::int64_t node_size() const { return node_size_; }

 private:
  int num_turns_;
  std::int64_t node_size_;
  ScratchVector<T> memory_;
  Turn<T> turns_[3];
};

/// out -= T sums for every orientation that occurred. Returns sum over s of s Im(conj(own) T_s
/// sums_s), which is the charge's gradient but for a factor; own may be null. kParts vectors are
/// the virtual lanes of that sum.
template <int kParts, class D, class T = hn::TFromD<D>>
double turn_and_subtract_in(const Shape<D>& shape, NodeSums<T>& scratch, const T* own,
                            T* HWY_RESTRICT out) {
  const D d;
  using V = hn::Vec<D>;
  constexpr std::int64_t kLanes = lanes_of<D>();
  const std::int64_t half = shape.dim * shape.fp;  // from the real rows to the imaginary ones
  V products[kParts];
  for (int part = 0; part < kParts; ++part) {
    V product = hn::Zero(d);
    for (int t = 0; t < 3; ++t) {
      const Turn<T>& turn = scratch.turn(t);
      if (!turn.is_used) continue;
      const T* HWY_RESTRICT sums = turn.sums;
      const V cos = hn::Set(d, turn.cos);
      const V sin = hn::Set(d, turn.sin);
      const V orientation = hn::Set(d, static_cast<T>(turn.orientation));
      for (std::int64_t i = part * kLanes; i < half; i += kParts * kLanes) {
        const V re = hn::Load(d, sums + i);
        const V im = hn::Load(d, sums + half + i);
        const V turned_re = hn::NegMulAdd(sin, im, hn::Mul(cos, re));
        const V turned_im = hn::MulAdd(sin, re, hn::Mul(cos, im));
        hn::Store(hn::Sub(hn::Load(d, out + i), turned_re), d, out + i);
        hn::Store(hn::Sub(hn::Load(d, out + half + i), turned_im), d, out + half + i);
        if (own != nullptr && turn.orientation != 0) {
          const V term = hn::NegMulAdd(hn::Load(d, own + half + i), turned_re,
                                       hn::Mul(hn::Load(d, own + i), turned_im));
          product = hn::MulAdd(orientation, term, product);
        }
      }
    }
    products[part] = product;
  }
  for (int t = 0; t < 3; ++t) scratch.turn(t).is_used = false;
  return own == nullptr ? 0.0 : static_cast<double>(sum_parts<kParts>(d, products));
}

template <class D, class T = hn::TFromD<D>>
HWY_INLINE double turn_and_subtract(const Shape<D>& shape, NodeSums<T>& scratch, const T* own,
                                    T* HWY_RESTRICT out) {
  const D d;
  if (scratch.num_turns() == 1) {
    const T* HWY_RESTRICT sums = scratch.turn(0).sums;
    scratch.turn(0).is_used = false;
    for (std::int64_t i = 0; i < scratch.node_size(); i += lanes_of<D>()) {
      hn::Store(hn::Sub(hn::Load(d, out + i), hn::Load(d, sums + i)), d, out + i);
    }
    return 0;
  }
  constexpr int kParts = num_parts<D>(), kFewParts = num_parts<D, folded_lanes<T>()>();
  if constexpr (kFewParts < kParts) {
    if (shape.fp == folded_lanes<T>()) {
      return turn_and_subtract_in<kFewParts>(shape, scratch, own, out);
    }
  }
  return turn_and_subtract_in<kParts>(shape, scratch, own, out);
}

/// Adds B x_v to the sums of one orientation, which begin with it.
template <class Block, class T>
HWY_INLINE void add_to(Turn<T>& turn, const Block& block, const T* x, std::int64_t v) {
  if (turn.is_used) {
    block.template accumulate<false>(x, v, turn.sums);
  } else {
    block.template accumulate<true>(x, v, turn.sums);
    turn.is_used = true;
  }
}

/// Those rows -> rows of node u, and back.
template <class D, class T = hn::TFromD<D>>
HWY_INLINE void write_rows(const Shape<D>& shape, const T* rows, std::int64_t u, T* features) {
  const D d;
  for (std::int64_t r = 0; r < shape.rows; ++r) {
    T* to = shape.row(features, u, r);
    const T* from = rows + r * shape.fp;
    for (std::int64_t c = 0; c < shape.f; c += lanes_of<D>()) {
      if (c + lanes_of<D>() <= shape.f) {
        hn::StoreU(hn::Load(d, from + c), d, to + c);
      } else {
        store_first(hn::Load(d, from + c), d, shape.f - c, to + c);
      }
    }
  }
}

template <class D, class T = hn::TFromD<D>>
HWY_INLINE void read_rows(const Shape<D>& shape, const T* features, std::int64_t u, T* rows) {
  const D d;
  for (std::int64_t r = 0; r < shape.rows; ++r) {
    const T* from = shape.row(features, u, r);
    for_channels(d, shape.f, [&](std::int64_t c, const auto& load) HWY_ATTR {
      hn::Store(load(from + c), d, rows + r * shape.fp + c);
    });
  }
}

/// to = conj(T) from
template <class D, class T = hn::TFromD<D>>
HWY_INLINE void turn_back(const Shape<D>& shape, const Turn<T>& turn, const T* HWY_RESTRICT from,
                          T* HWY_RESTRICT to) {
  const D d;
  const auto cos = hn::Set(d, turn.cos);
  const auto sin = hn::Set(d, turn.sin);
  const std::int64_t half = shape.dim * shape.fp;
  for (std::int64_t i = 0; i < half; i += lanes_of<D>()) {
    const auto re = hn::Load(d, from + i);
    const auto im = hn::Load(d, from + half + i);
    hn::Store(hn::MulAdd(sin, im, hn::Mul(cos, re)), d, to + i);
    hn::Store(hn::NegMulAdd(sin, re, hn::Mul(cos, im)), d, to + half + i);
  }
}

template <class Block, class T = typename Block::T>
void forward_worker(const Diffusion<T>& op, const NodeBlocks& blocks, BlockQueue& queue, const T* x,
                    T* y) {
  const Shape<typename Block::Tag> shape(op);
  Block block(op, shape);
  const bool has_phase = op.charge != 0;
  NodeSums<T> scratch(op.charge, shape.rows * shape.fp, has_phase, 1);
  T* out = scratch.extra(0);
  const HalfEdges& graph = op.graph;
  Prefetch<typename Block::Tag> prefetch(op, shape, block.map_size(), Block::is_complex(), x);
  for (std::int64_t b; queue.take(b);) {
    const NodeRange nodes = blocks[b];
    prefetch.start(graph.row_offsets[nodes.begin], graph.row_offsets[nodes.end]);
    for (std::int64_t u = nodes.begin; u < nodes.end; ++u) {
      block.load_diagonal(u);
      block.template accumulate<true>(x, u, out);
      for (HalfEdgeId h = graph.row_offsets[u]; h < graph.row_offsets[u + 1];) {
        const HalfEdgeId end = std::min(h + kRun, graph.row_offsets[u + 1]);
        for (; h < end; ++h) {
          prefetch.advance(h);
          block.load(h, graph.reverse(h));
          add_to(scratch.turn_of(graph.orientations[h]), block, x, graph.neighbours[h]);
        }
        turn_and_subtract(shape, scratch, static_cast<const T*>(nullptr), out);
      }
      write_rows(shape, out, u, y);
    }
  }
}

// L_N is self-adjoint, so grad_x is the forward gather on grad. The block of half-edge h is a
// factor of two terms, in y_u and y_v. The part of its gradient from y_v needs x_u, which is local,
// and grad_v, which the gather has just read: so nothing else is read, and each half-edge writes
// its own part C_h[j][i] = Re sum_c (T_h' x_u)_j conj(grad_v)_i. join_edges-inl.h puts the two
// together.
template <class Block, class T = typename Block::T>
void backward_worker(const Diffusion<T>& op, const NodeBlocks& blocks, BlockQueue& queue,
                     const T* x, const T* grad, T* grad_x, T* grad_maps, T* grad_diagonal,
                     double* charges) {
  const Shape<typename Block::Tag> shape(op);
  Block block(op, shape);
  const bool has_phase = op.planes == 2 && !Block::is_complex();
  NodeSums<T> scratch(op.charge, shape.rows * shape.fp, has_phase, 5);
  T* out = scratch.extra(0);
  T* own_grad = scratch.extra(1);
  T* own_x[3] = {scratch.extra(2), scratch.extra(3), scratch.extra(4)};  // conj(T_s) x_u
  T* plain_x = own_x[has_phase ? 1 : 0];
  const HalfEdges& graph = op.graph;
  const std::int64_t map_size = block.map_size();
  const bool is_diagonal = op.kind == BlockKind::kComplexDiagonal;  // its N is real
  const std::int64_t node_plane = is_diagonal ? 0 : shape.n * map_size;
  const std::int64_t map_plane = graph.count() * map_size;
  Prefetch<typename Block::Tag> prefetch(op, shape, map_size, Block::is_complex(), grad);
  for (std::int64_t b; queue.take(b);) {
    const NodeRange nodes = blocks[b];
    prefetch.start(graph.row_offsets[nodes.begin], graph.row_offsets[nodes.end]);
    double charge = 0;
    for (std::int64_t u = nodes.begin; u < nodes.end; ++u) {
      read_rows(shape, grad, u, own_grad);
      read_rows(shape, x, u, plain_x);
      if (has_phase) {
        turn_back(shape, scratch.turn(0), plain_x, own_x[0]);
        turn_back(shape, scratch.turn(2), plain_x, own_x[2]);
      }
      block.load_diagonal(u);
      block.template accumulate<true>(grad, u, out);
      block.correlate(own_grad, x, u, grad_diagonal + u * map_size, node_plane);
      for (HalfEdgeId h = graph.row_offsets[u]; h < graph.row_offsets[u + 1];) {
        const HalfEdgeId end = std::min(h + kRun, graph.row_offsets[u + 1]);
        for (; h < end; ++h) {
          prefetch.advance(h);
          const int orientation = graph.orientations[h];
          const std::int64_t v = graph.neighbours[h];
          block.load(h, graph.reverse(h));
          add_to(scratch.turn_of(orientation), block, grad, v);
          block.correlate(own_x[has_phase ? orientation + 1 : 0], grad, v, grad_maps + h * map_size,
                          map_plane);
        }
        charge += turn_and_subtract(shape, scratch, has_phase ? plain_x : nullptr, out);
      }
      write_rows(shape, out, u, grad_x);
    }
    charges[b] = charge;
  }
}

/// run(d) with the tag of the vectors of channels: of eight lanes where they hold all channels,
/// because half-empty wider ones would cost as much as full ones.
template <class T, class Run>
HWY_INLINE void with_tag(const Diffusion<T>& op, const Run& run) {
  if constexpr (max_lanes<T>() > 8) {
    if (op.channels <= 8) return run(hn::CappedTag<T, 8>());
  }
  run(hn::ScalableTag<T>());
}

}  // namespace dsnn::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
