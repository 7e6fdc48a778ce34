// Computes the gradients of the two maps of a block from the two halves of the block's gradient
// [eq:diffusion-gradients]. Compiled once for each instruction set.
#if defined(DSNN_KERNELS_CPU_JOIN_EDGES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DSNN_KERNELS_CPU_JOIN_EDGES_INL_H_
#undef DSNN_KERNELS_CPU_JOIN_EDGES_INL_H_
#else
#define DSNN_KERNELS_CPU_JOIN_EDGES_INL_H_
#endif

#include "kernels/cpu/vector-inl.h"
#include "kernels/scratch.h"
#include "kernels/sheaf_diffusion.h"

#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace dsnn::kernels::HWY_NAMESPACE {

/// A d x d map, with or without a second plane.
template <class T, bool kIsComplex>
struct PlanesOf {
  T* re;
  T* im;
  PlanesOf(T* data, std::int64_t offset, std::int64_t plane)
      : re(data + offset), im(data + offset + (kIsComplex ? plane : 0)) {}
};

/// c = a b, where the imaginary part of b follows its real part.
template <int kDim, bool kIsComplex, class T>
HWY_INLINE void multiply(std::int64_t d, const PlanesOf<const T, kIsComplex>& a, const T* b,
                         const PlanesOf<T, kIsComplex>& c) {
  if constexpr (kIsComplex && rows_are_vectors<kDim, T>()) {
    const RowTag<kDim, T> tag;
    using Row = hn::Vec<RowTag<kDim, T>>;
    for_complex_product_rows<kDim, false>(tag, ComplexRows<T>{a.re, a.im},
                                          ComplexRows<T>{b, b + d * d},
                                          [&](int i, int piece, Row re, Row im) HWY_ATTR {
                                            store_row<kDim>(re, tag, c.re + i * kDim + piece);
                                            store_row<kDim>(im, tag, c.im + i * kDim + piece);
                                          });
  } else if constexpr (rows_are_vectors<kDim, T>()) {
    const RowTag<kDim, T> tag;
    for_product_rows<kDim, false>(
        tag, a.re, b, [&](int, int) HWY_ATTR { return hn::Zero(tag); },
        [&](int i, int piece, hn::Vec<RowTag<kDim, T>> row)
            HWY_ATTR { store_row<kDim>(row, tag, c.re + i * kDim + piece); });
  } else {
    const std::int64_t size = d * d;
    std::fill(c.re, c.re + size, T{0});
    if constexpr (kIsComplex) {  // in the order of for_complex_product_rows
      std::fill(c.im, c.im + size, T{0});
      for (std::int64_t i = 0; i < d; ++i) {
        for (std::int64_t k = 0; k < d; ++k) {
          const T ar = a.re[i * d + k], ai = a.im[i * d + k];
          for (std::int64_t j = 0; j < d; ++j) {
            const T br = b[k * d + j], bi = b[size + k * d + j];
            c.re[i * d + j] = fused(-ai, bi, fused(ar, br, c.re[i * d + j]));
            c.im[i * d + j] = fused(ai, br, fused(ar, bi, c.im[i * d + j]));
          }
        }
      }
    } else {
      add_small_product<kDim, false>(d, a.re, b, c.re);
    }
  }
}

/// Asks for what the edges to come will touch at their other ends. Those to nodes before u are
/// done.
template <bool kIsComplex, class T>
HWY_INLINE void prefetch_back(const HalfEdges& graph, std::int64_t u, HalfEdgeId h,
                              std::int64_t size, const T* maps, const T* grad_maps) {
  constexpr HalfEdgeId kAhead = 8;
  constexpr std::int64_t kLine = 64 / sizeof(T);
  if (h + 2 * kAhead >= graph.count()) return;
  __builtin_prefetch(graph.row_offsets + graph.neighbours[h + 2 * kAhead]);
  if (graph.neighbours[h + kAhead] < u) return;
  const HalfEdgeId back = graph.reverse(h + kAhead);
  for (int plane = 0; plane < (kIsComplex ? 2 : 1); ++plane) {
    const std::int64_t begin = (plane * graph.count() + back) * size;
    for (std::int64_t i = 0; i < size; i += kLine) {
      __builtin_prefetch(maps + begin + i);
      __builtin_prefetch(grad_maps + begin + i, 1);
    }
  }
}

/// body(g, g_back, c, c_back) for every edge: the two maps, and the two halves of the block's
/// gradient. Each edge is processed only by the owner of its smaller endpoint.
template <class T, bool kIsComplex, class Body>
HWY_INLINE void for_edges(const Diffusion<T>& op, const NodeBlocks& blocks, BlockQueue& queue,
                          std::int64_t size, T* grad_maps, const Body& body) {
  const HalfEdges& graph = op.graph;
  const std::int64_t plane = graph.count() * size;
  for (std::int64_t b; queue.take(b);) {
    const NodeRange nodes = blocks[b];
    for (std::int64_t u = nodes.begin; u < nodes.end; ++u) {
      for (HalfEdgeId h = graph.row_offsets[u]; h < graph.row_offsets[u + 1]; ++h) {
        prefetch_back<kIsComplex>(graph, u, h, size, op.maps, grad_maps);
        if (graph.neighbours[h] < u) continue;
        const HalfEdgeId back = graph.reverse(h);
        body(PlanesOf<const T, kIsComplex>(op.maps, h * size, plane),
             PlanesOf<const T, kIsComplex>(op.maps, back * size, plane),
             PlanesOf<T, kIsComplex>(grad_maps, h * size, plane),
             PlanesOf<T, kIsComplex>(grad_maps, back * size, plane));
      }
    }
  }
}

/// An edge: its two maps, and the two halves of the gradient of their block.
template <class T, bool kIsComplex>
struct EdgeEnds {
  PlanesOf<const T, kIsComplex> g, g_back;
  PlanesOf<T, kIsComplex> c, c_back;
};

/// -E and -E* of an edge, each followed by its imaginary part.
template <bool kIsComplex, class T>
HWY_INLINE void add_halves(std::int64_t d, const EdgeEnds<T, kIsComplex>& edge, T* HWY_RESTRICT e,
                           T* HWY_RESTRICT adjoint) {
  const T* HWY_RESTRICT c = edge.c.re;
  const T* HWY_RESTRICT back = edge.c_back.re;
  const std::int64_t size = d * d;
  for (std::int64_t i = 0; i < d; ++i) {
    for (std::int64_t j = 0; j < d; ++j) {
      e[i * d + j] = -c[i * d + j] - back[j * d + i];
      adjoint[i * d + j] = -c[j * d + i] - back[i * d + j];
      if (kIsComplex) {
        e[size + i * d + j] = -edge.c.im[i * d + j] + edge.c_back.im[j * d + i];
        adjoint[size + i * d + j] = edge.c.im[j * d + i] - edge.c_back.im[i * d + j];
      }
    }
  }
}

// E = C_h + C_h'*, the negative gradient of the block B_h = G_h* G_h'. Then G_h's gradient is
// -G_h' E*, and that of G_h' is -G_h E. Both replace C in place.
//
// Several edges at a time, first all E, then the products: E is written by element and read as
// vectors, which stalls the processor if it happens immediately.
template <class T, int kDim, bool kIsComplex>
void join_worker(const Diffusion<T>& op, const NodeBlocks& blocks, BlockQueue& queue,
                 T* grad_maps) {
  constexpr std::size_t kBatch = 8;
  const std::int64_t d = kDim > 0 ? kDim : op.dim;
  const std::int64_t size = d * d;
  const std::int64_t edge_size = 4 * size;  // -E and -E*, each followed by its imaginary part
  ScratchVector<T> memory(kBatch * static_cast<std::size_t>(edge_size));
  ScratchVector<EdgeEnds<T, kIsComplex>> edges;
  edges.reserve(kBatch);
  const auto flush = [&]() HWY_ATTR {
    T* e = memory.data();
    for (const auto& edge : edges) {
      add_halves<kIsComplex>(d, edge, e, e + 2 * size);
      e += edge_size;
    }
    e = memory.data();
    for (const auto& edge : edges) {
      multiply<kDim>(d, edge.g_back, e + 2 * size, edge.c);
      multiply<kDim>(d, edge.g, e, edge.c_back);
      e += edge_size;
    }
    edges.clear();
  };
  for_edges<T, kIsComplex>(op, blocks, queue, size, grad_maps,
                           [&](const auto& g, const auto& g_back, const auto& c, const auto& c_back)
                               HWY_ATTR {
                                 edges.push_back({g, g_back, c, c_back});
                                 if (edges.size() == kBatch) flush();
                               });
  flush();
}

/// The same for diagonal maps: d scalar blocks.
template <class T, bool kIsComplex>
void join_diagonal_worker(const Diffusion<T>& op, const NodeBlocks& blocks, BlockQueue& queue,
                          T* grad_maps) {
  for_edges<T, kIsComplex>(op, blocks, queue, op.dim, grad_maps,
                           [&](const auto& g, const auto& g_back, const auto& c, const auto& c_back)
                               HWY_ATTR {
                                 for (std::int64_t i = 0; i < op.dim; ++i) {
                                   const T e = c.re[i] + c_back.re[i];
                                   if (kIsComplex) {
                                     const T e_im = c.im[i] - c_back.im[i];
                                     c.re[i] = -(g_back.re[i] * e + g_back.im[i] * e_im);
                                     c.im[i] = -(g_back.im[i] * e - g_back.re[i] * e_im);
                                     c_back.re[i] = -(g.re[i] * e - g.im[i] * e_im);
                                     c_back.im[i] = -(g.im[i] * e + g.re[i] * e_im);
                                   } else {
                                     c.re[i] = -g_back.re[i] * e;
                                     c_back.re[i] = -g.re[i] * e;
                                   }
                                 }
                               });
}

}  // namespace dsnn::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
