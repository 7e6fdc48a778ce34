#include "kernels/sheaf_maps.h"

#include "kernels/cuda/dispatch.h"
#include "kernels/scratch.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/sheaf_maps.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// After foreach_target: these are compiled once for each instruction set.
#include "kernels/cpu/dispatch.h"
#include "kernels/cpu/known_dim.h"
#include "kernels/cpu/math-inl.h"
#include "kernels/cpu/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dsnn::kernels::HWY_NAMESPACE {

template <MapActivation kActivation, class D, class V>
HWY_INLINE V activate(D d, V x) {
  if constexpr (kActivation == MapActivation::kTanh) return tanh(d, x);
  if constexpr (kActivation == MapActivation::kRelu) return hn::Max(x, hn::Zero(d));
  if constexpr (kActivation == MapActivation::kElu) {
    return hn::IfThenElse(hn::Gt(x, hn::Zero(d)), x, expm1_of_negative(d, hn::Min(x, hn::Zero(d))));
  }
  return x;
}

/// act'(x) from y = act(x).
template <MapActivation kActivation, class D, class V>
HWY_INLINE V slope(D d, V y) {
  using T = hn::TFromD<D>;
  const V one = hn::Set(d, T{1});
  if constexpr (kActivation == MapActivation::kTanh) return hn::NegMulAdd(y, y, one);
  if constexpr (kActivation == MapActivation::kRelu) {
    return hn::IfThenElseZero(hn::Gt(y, hn::Zero(d)), one);
  }
  if constexpr (kActivation == MapActivation::kElu) {
    return hn::IfThenElse(hn::Gt(y, hn::Zero(d)), one, hn::Add(y, one));
  }
  return one;
}

/// kKnown: k where the compiler shall know it, else 0.
template <class T, MapActivation kActivation, int kKnown>
void forward_of(const HalfEdges& graph, NodeRange nodes, std::int64_t given_k, const T* left,
                const T* right, T* params) {
  const std::int64_t k = kKnown > 0 ? kKnown : given_k;
  constexpr HalfEdgeId kAhead = 24;
  for (std::int64_t u = nodes.begin; u < nodes.end; ++u) {
    const T* own = left + u * k;
    for (HalfEdgeId h = graph.row_offsets[u]; h < graph.row_offsets[u + 1]; ++h) {
      if (h + kAhead < graph.count()) {
        __builtin_prefetch(right + graph.neighbours[h + kAhead] * k);
      }
      const T* other = right + graph.neighbours[h] * k;
      T* out = params + h * k;
      for_lanes<T>(k, [&](auto d, std::int64_t i) HWY_ATTR {
        hn::StoreU(hn::Add(hn::LoadU(d, own + i), hn::LoadU(d, other + i)), d, out + i);
      });
    }
  }
  if constexpr (kActivation == MapActivation::kIdentity) return;
  // The rows of these nodes lie in one piece: whole vectors, however small k is.
  T* out = params + graph.row_offsets[nodes.begin] * k;
  const HalfEdgeId count = graph.row_offsets[nodes.end] - graph.row_offsets[nodes.begin];
  for_lanes<T>(count * k, [&](auto d, std::int64_t i) HWY_ATTR {
    hn::StoreU(activate<kActivation>(d, hn::LoadU(d, out + i)), d, out + i);
  });
}

/// The usual activation has specialised loops for the few parameters of small diagonal maps.
template <class T, MapActivation kActivation, class Run>
HWY_INLINE void with_known_params(std::int64_t k, const Run& run) {
  if constexpr (kActivation == MapActivation::kTanh && sizeof(T) == sizeof(float)) {
    return with_known_dim<4>(k, run);
  }
  run.template operator()<0>();
}

template <class T, MapActivation kActivation>
void forward(const HalfEdges& graph, NodeRange nodes, std::int64_t k, const T* left, const T* right,
             T* params) {
  with_known_params<T, kActivation>(k, [&]<int kKnown>() {
    forward_of<T, kActivation, kKnown>(graph, nodes, k, left, right, params);
  });
}

/// sum += grad act'(params) for one half-edge.
template <class T, MapActivation kActivation>
HWY_INLINE void add_slope(std::int64_t k, const T* params, const T* grad, T* sum) {
  for_lanes<T>(k, [&](auto d, std::int64_t i) HWY_ATTR {
    const auto g = hn::LoadU(d, grad + i);
    const auto s = slope<kActivation>(d, hn::LoadU(d, params + i));
    hn::StoreU(hn::MulAdd(g, s, hn::LoadU(d, sum + i)), d, sum + i);
  });
}

template <class T>
HWY_INLINE void add_and_clear(std::int64_t k, T* run, T* total) {
  for_lanes<T>(k, [&](auto d, std::int64_t i) HWY_ATTR {
    hn::StoreU(hn::Add(hn::LoadU(d, total + i), hn::LoadU(d, run + i)), d, total + i);
    hn::StoreU(hn::Zero(d), d, run + i);
  });
}

/// Prefetches the data of the reverses of later half-edges. Their address depends on row_offsets, a
/// non-local read that is prefetched earlier. Arrays that stay in the cache need none of it.
template <class T>
class PrefetchBack {
 public:
  PrefetchBack(const HalfEdges& graph, std::int64_t k, const T* params, const T* grad)
      : graph_(graph), k_(k), params_(params), grad_(grad) {
    constexpr std::int64_t kCached = 1 << 21;  // bytes
    const std::int64_t bytes = graph.count() * k * static_cast<std::int64_t>(sizeof(T));
    end_ = bytes > kCached ? graph.count() : 0;
  }
  HWY_INLINE void advance(HalfEdgeId h) const {
    if (h + kOffsetsAhead >= end_) return;
    __builtin_prefetch(graph_.row_offsets + graph_.neighbours[h + kOffsetsAhead]);
    const std::int64_t at = graph_.reverse(h + kRowsAhead) * k_;
    __builtin_prefetch(params_ + at);
    __builtin_prefetch(grad_ + at);
  }

 private:
  static constexpr HalfEdgeId kRowsAhead = 16, kOffsetsAhead = 40;

  const HalfEdges& graph_;
  std::int64_t k_;
  const T *params_, *grad_;
  HalfEdgeId end_;
};

/// kKnown: k where the compiler shall know it, else 0.
template <class T, MapActivation kActivation, int kKnown>
void backward_of(const HalfEdges& graph, NodeRange nodes, std::int64_t given_k, const T* params,
                 const T* grad, T* grad_left, T* grad_right) {
  const std::int64_t k = kKnown > 0 ? kKnown : given_k;
  ScratchVector<T> run_left(static_cast<std::size_t>(k));
  ScratchVector<T> run_right(static_cast<std::size_t>(k));
  const PrefetchBack<T> prefetch(graph, k, params, grad);
  for (std::int64_t u = nodes.begin; u < nodes.end; ++u) {
    T* total_left = grad_left + u * k;
    T* total_right = grad_right + u * k;
    std::fill(total_left, total_left + k, T{0});
    std::fill(total_right, total_right + k, T{0});
    for (HalfEdgeId h = graph.row_offsets[u]; h < graph.row_offsets[u + 1];) {
      const HalfEdgeId end = std::min(h + kRun, graph.row_offsets[u + 1]);
      for (; h < end; ++h) {
        prefetch.advance(h);
        const HalfEdgeId back = graph.reverse(h);
        add_slope<T, kActivation>(k, params + h * k, grad + h * k, run_left.data());
        add_slope<T, kActivation>(k, params + back * k, grad + back * k, run_right.data());
      }
      add_and_clear(k, run_left.data(), total_left);
      add_and_clear(k, run_right.data(), total_right);
    }
  }
}

template <class T, MapActivation kActivation>
void backward(const HalfEdges& graph, NodeRange nodes, std::int64_t k, const T* params,
              const T* grad, T* grad_left, T* grad_right) {
  with_known_params<T, kActivation>(k, [&]<int kKnown>() {
    backward_of<T, kActivation, kKnown>(graph, nodes, k, params, grad, grad_left, grad_right);
  });
}

template <class T>
void forward_any(const HalfEdges& graph, NodeRange nodes, MapActivation activation, std::int64_t k,
                 const T* left, const T* right, T* params) {
  switch (activation) {
    case MapActivation::kIdentity:
      return forward<T, MapActivation::kIdentity>(graph, nodes, k, left, right, params);
    case MapActivation::kTanh:
      return forward<T, MapActivation::kTanh>(graph, nodes, k, left, right, params);
    case MapActivation::kElu:
      return forward<T, MapActivation::kElu>(graph, nodes, k, left, right, params);
    case MapActivation::kRelu:
      return forward<T, MapActivation::kRelu>(graph, nodes, k, left, right, params);
  }
}

template <class T>
void backward_any(const HalfEdges& graph, NodeRange nodes, MapActivation activation, std::int64_t k,
                  const T* params, const T* grad, T* grad_left, T* grad_right) {
  switch (activation) {
    case MapActivation::kIdentity:
      return backward<T, MapActivation::kIdentity>(graph, nodes, k, params, grad, grad_left,
                                                   grad_right);
    case MapActivation::kTanh:
      return backward<T, MapActivation::kTanh>(graph, nodes, k, params, grad, grad_left,
                                               grad_right);
    case MapActivation::kElu:
      return backward<T, MapActivation::kElu>(graph, nodes, k, params, grad, grad_left, grad_right);
    case MapActivation::kRelu:
      return backward<T, MapActivation::kRelu>(graph, nodes, k, params, grad, grad_left,
                                               grad_right);
  }
}

/// a_h = left_u + right_v and a_h' = left_v + right_u for a run of u's half-edges: no reverse
/// needed.
template <class T>
HWY_INLINE void load_run(const HalfEdges& graph, std::int64_t u, HalfEdgeId begin, HalfEdgeId end,
                         const T* left, const T* right, T* forth, T* back) {
  for (HalfEdgeId h = begin; h < end; ++h) {
    const NodeId v = graph.neighbours[h];
    forth[h - begin] = left[u] + right[v];
    back[h - begin] = left[v] + right[u];
  }
}

template <class T>
void weights_forward(const HalfEdges& graph, NodeRange nodes, const T* left, const T* right,
                     T* weights) {
  T forth[kRun];
  T back[kRun];
  for (std::int64_t u = nodes.begin; u < nodes.end; ++u) {
    for (HalfEdgeId h = graph.row_offsets[u]; h < graph.row_offsets[u + 1];) {
      const HalfEdgeId end = std::min(h + kRun, graph.row_offsets[u + 1]);
      load_run(graph, u, h, end, left, right, forth, back);
      T* out = weights + h;
      for_lanes<T>(end - h, [&](auto d, std::int64_t i) HWY_ATTR {
        hn::StoreU(hn::Mul(sigmoid(d, hn::LoadU(d, forth + i)), sigmoid(d, hn::LoadU(d, back + i))),
                   d, out + i);
      });
      h = end;
    }
  }
}

// w = s(a) s(a') and s' = s (1 - s), so dw/da = w (1 - s(a)); w_h and w_h' are one number, so both
// gradients count.
template <class T>
void weights_backward(const HalfEdges& graph, NodeRange nodes, const T* left, const T* right,
                      const T* grad, T* grad_left, T* grad_right) {
  T forth[kRun];
  T back[kRun];
  for (std::int64_t u = nodes.begin; u < nodes.end; ++u) {
    T total_left = 0;
    T total_right = 0;
    for (HalfEdgeId h = graph.row_offsets[u]; h < graph.row_offsets[u + 1];) {
      const HalfEdgeId begin = h;
      const HalfEdgeId end = std::min(h + kRun, graph.row_offsets[u + 1]);
      load_run(graph, u, begin, end, left, right, forth, back);
      for_lanes<T>(end - begin, [&](auto d, std::int64_t i) HWY_ATTR {
        const auto one = hn::Set(d, T{1});
        const auto s = sigmoid(d, hn::LoadU(d, forth + i));
        const auto s_back = sigmoid(d, hn::LoadU(d, back + i));
        const auto w = hn::Mul(s, s_back);
        hn::StoreU(hn::Mul(w, hn::Sub(one, s)), d, forth + i);
        hn::StoreU(hn::Mul(w, hn::Sub(one, s_back)), d, back + i);
      });
      T run_left = 0;
      T run_right = 0;
      for (; h < end; ++h) {
        const T g = grad[h] + grad[graph.reverse(h)];
        run_left = fused(g, forth[h - begin], run_left);
        run_right = fused(g, back[h - begin], run_right);
      }
      total_left += run_left;
      total_right += run_right;
    }
    grad_left[u] = total_left;
    grad_right[u] = total_right;
  }
}

}  // namespace dsnn::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dsnn::kernels {
template <class T>
void sheaf_maps(const Executor& executor, const HalfEdges& graph, MapActivation activation,
                std::int64_t k, const T* left, const T* right, T* params) {
  DSNN_ON_GPU(sheaf_maps(*gpu, graph, activation, k, left, right, params));
  const auto kernel = DSNN_DISPATCH(forward_any<T>);
  for_node_blocks(executor, graph, [&](NodeRange nodes) {
    kernel(graph, nodes, activation, k, left, right, params);
  });
}

template <class T>
void sheaf_maps_backward(const Executor& executor, const HalfEdges& graph, MapActivation activation,
                         std::int64_t k, const T* params, const T* grad, T* grad_left,
                         T* grad_right) {
  DSNN_ON_GPU(sheaf_maps_backward(*gpu, graph, activation, k, params, grad, grad_left, grad_right));
  const auto kernel = DSNN_DISPATCH(backward_any<T>);
  for_node_blocks(executor, graph, [&](NodeRange nodes) {
    kernel(graph, nodes, activation, k, params, grad, grad_left, grad_right);
  });
}

template <class T>
void edge_weights(const Executor& executor, const HalfEdges& graph, const T* left, const T* right,
                  T* weights) {
  DSNN_ON_GPU(edge_weights(*gpu, graph, left, right, weights));
  const auto kernel = DSNN_DISPATCH(weights_forward<T>);
  for_node_blocks(executor, graph,
                  [&](NodeRange nodes) { kernel(graph, nodes, left, right, weights); });
}

template <class T>
void edge_weights_backward(const Executor& executor, const HalfEdges& graph, const T* left,
                           const T* right, const T* grad, T* grad_left, T* grad_right) {
  DSNN_ON_GPU(edge_weights_backward(*gpu, graph, left, right, grad, grad_left, grad_right));
  const auto kernel = DSNN_DISPATCH(weights_backward<T>);
  for_node_blocks(executor, graph, [&](NodeRange nodes) {
    kernel(graph, nodes, left, right, grad, grad_left, grad_right);
  });
}

#define DSNN_INSTANTIATE(T)                                                                  \
  template void sheaf_maps(const Executor&, const HalfEdges&, MapActivation, std::int64_t,   \
                           const T*, const T*, T*);                                          \
  template void sheaf_maps_backward(const Executor&, const HalfEdges&, MapActivation,        \
                                    std::int64_t, const T*, const T*, T*, T*);               \
  template void edge_weights(const Executor&, const HalfEdges&, const T*, const T*, T*);     \
  template void edge_weights_backward(const Executor&, const HalfEdges&, const T*, const T*, \
                                      const T*, T*, T*);
DSNN_INSTANTIATE(float)
DSNN_INSTANTIATE(double)
#undef DSNN_INSTANTIATE

}  // namespace dsnn::kernels
#endif  // HWY_ONCE
