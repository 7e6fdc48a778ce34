#include "kernels/cuda/graph.h"
#include "kernels/cuda/kernels.h"
#include "kernels/cuda/math.h"
#include "kernels/sheaf_maps.h"

namespace dsnn::kernels::cuda {
namespace {

template <class T>
DSNN_GPU_INLINE T activate(MapActivation activation, T x) {
  if (activation == MapActivation::kTanh) return tanh_of(x);
  if (activation == MapActivation::kRelu) return x > 0 || x != x ? x : T{0};
  if (activation == MapActivation::kElu) return x > 0 ? x : expm1_of(x);
  return x;
}

/// act'(x) from y = act(x).
template <class T>
DSNN_GPU_INLINE T slope(MapActivation activation, T y) {
  if (activation == MapActivation::kTanh) return 1 - y * y;
  if (activation == MapActivation::kRelu) return y > 0 ? T{1} : T{0};
  if (activation == MapActivation::kElu) return y > 0 ? T{1} : y + 1;
  return 1;
}

}  // namespace

template <class T>
void sheaf_maps(const Gpu& gpu, const HalfEdges& half_edges, MapActivation activation,
                std::int64_t k, const T* left, const T* right, T* params) {
  const GpuGraph graph(gpu, half_edges);
  for_cells(gpu, graph.count, k, [=] DSNN_GPU(std::int64_t h, std::int64_t i) {
    params[h * k + i] =
        activate(activation, left[graph.nodes[h] * k + i] + right[graph.neighbours[h] * k + i]);
  });
}

template <class T>
void sheaf_maps_backward(const Gpu& gpu, const HalfEdges& half_edges, MapActivation activation,
                         std::int64_t k, const T* params, const T* grad, T* grad_left,
                         T* grad_right) {
  const GpuGraph graph(gpu, half_edges);
  row_sums<T>(
      gpu, graph.pieces, 2 * k,
      [=] DSNN_GPU(std::int64_t, HalfEdgeId h, std::int64_t i) {
        const std::int64_t at = i < k ? h * k + i : graph.reverse(h) * k + i - k;
        return grad[at] * slope(activation, params[at]);
      },
      [=] DSNN_GPU(std::int64_t u, std::int64_t i, T sum) {
        (i < k ? grad_left : grad_right - k)[u * k + i] = sum;
      });
}

template <class T>
void edge_weights(const Gpu& gpu, const HalfEdges& half_edges, const T* left, const T* right,
                  T* weights) {
  const GpuGraph graph(gpu, half_edges);
  for_each(gpu, graph.count, [=] DSNN_GPU(std::int64_t h) {
    const std::int64_t u = graph.nodes[h], v = graph.neighbours[h];
    weights[h] = sigmoid_of(left[u] + right[v]) * sigmoid_of(left[v] + right[u]);
  });
}

// w = s(a) s(a') and s' = s (1 - s), so dw/da = w (1 - s(a)); w_h and w_h' are one number, so both
// gradients count.
template <class T>
void edge_weights_backward(const Gpu& gpu, const HalfEdges& half_edges, const T* left,
                           const T* right, const T* grad, T* grad_left, T* grad_right) {
  const GpuGraph graph(gpu, half_edges);
  row_sums<T>(
      gpu, graph.pieces, 2,
      [=] DSNN_GPU(std::int64_t u, HalfEdgeId h, std::int64_t side) {
        const std::int64_t v = graph.neighbours[h];
        const T s = sigmoid_of(left[u] + right[v]), back = sigmoid_of(left[v] + right[u]);
        const T g = grad[h] + grad[graph.reverse(h)];
        return g * (s * back * (1 - (side == 0 ? s : back)));
      },
      [=] DSNN_GPU(std::int64_t u, std::int64_t side, T sum) {
        (side == 0 ? grad_left : grad_right)[u] = sum;
      });
}

#define DSNN_INSTANTIATE(T)                                                                       \
  template void sheaf_maps(const Gpu&, const HalfEdges&, MapActivation, std::int64_t, const T*,   \
                           const T*, T*);                                                         \
  template void sheaf_maps_backward(const Gpu&, const HalfEdges&, MapActivation, std::int64_t,    \
                                    const T*, const T*, T*, T*);                                  \
  template void edge_weights(const Gpu&, const HalfEdges&, const T*, const T*, T*);               \
  template void edge_weights_backward(const Gpu&, const HalfEdges&, const T*, const T*, const T*, \
                                      T*, T*);
DSNN_INSTANTIATE(float)
DSNN_INSTANTIATE(double)
#undef DSNN_INSTANTIATE

}  // namespace dsnn::kernels::cuda
