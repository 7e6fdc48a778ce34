#include "kernels/cuda/kernels.h"
#include "kernels/cuda/math.h"
#include "kernels/cuda/matmul.h"
#include "kernels/cuda/reduce.h"
#include "kernels/cuda/stalk_rows.h"
#include "kernels/stalk_linear.h"

namespace dsnn::kernels::cuda {
namespace {

/// Entry (row, c) of L s or L^T s, where s = drop(from) are rows [nodes * d, f] of one plane or
/// more; s itself without L.
template <class T, bool kTransposed>
struct TimesLeft {
  std::int64_t d, f;
  const T* left;
  const T* from;
  std::int64_t position;  // of the first element, for dropout
  Drop<T> drop;

  DSNN_GPU_INLINE T operator()(std::int64_t row, std::int64_t c) const {
    if (left == nullptr) return entry(row * f + c);
    const std::int64_t first = divide(row, d) * d, i = row - first;
    T sum = 0;
    for (std::int64_t j = 0; j < d; ++j) {
      sum += left[kTransposed ? j * d + i : i * d + j] * entry((first + j) * f + c);
    }
    return sum;
  }
  DSNN_GPU_INLINE T entry(std::int64_t at) const { return drop(position + at, from[at]); }
};

/// work(part, number of the part)
template <class T, class Work>
void for_parts(const StalkShape& shape, const StalkWeights<T>& weights, const Work& work) {
  const std::int64_t parts = weights.is_per_plane ? shape.planes : 1;
  const std::int64_t d = shape.stalk_dim, f = shape.channels;
  for (std::int64_t p = 0; p < parts; ++p) {
    const std::int64_t rows = shape.nodes * d * (shape.planes / parts);
    work(StalkPart<T>{rows, p * rows * f, d, f,
                      weights.left == nullptr ? nullptr : weights.left + p * d * d,
                      weights.right == nullptr ? nullptr : weights.right + p * f * f},
         p);
  }
}

template <class T, bool kTransposed>
TimesLeft<T, kTransposed> times_left(const StalkPart<T>& part, const T* from, const Drop<T>& drop) {
  return {part.d, part.f, part.left, from + part.position, part.position, drop};
}

template <class T>
void forward_part(const Gpu& gpu, const StalkPart<T>& part, const Drop<T>& drop, const T* x, T* y) {
  const auto t = times_left<T, false>(part, x, drop);
  const std::int64_t f = part.f;
  T* out = y + part.position;
  const T* right = part.right;
  if (right == nullptr) {
    for_cells(gpu, part.rows, f,
              [=] DSNN_GPU(std::int64_t row, std::int64_t c) { out[row * f + c] = t(row, c); });
    return;
  }
  matmul<true, T>(
      gpu, {part.rows, f, f}, t,
      [=] DSNN_GPU(std::int64_t k, std::int64_t j) { return right[k * f + j]; },
      [=] DSNN_GPU(std::int64_t i, std::int64_t j, T value) { out[i * f + j] = value; });
}

/// grad_x = drop(L^T grad R^T)
template <class T>
void backward_x(const Gpu& gpu, const StalkPart<T>& part, const Drop<T>& drop, const T* grad,
                T* grad_x) {
  const auto g = times_left<T, true>(part, grad, Drop<T>());
  const std::int64_t f = part.f, position = part.position;
  T* out = grad_x + position;
  const T* right = part.right;
  if (right == nullptr) {
    for_cells(gpu, part.rows, f, [=] DSNN_GPU(std::int64_t row, std::int64_t c) {
      out[row * f + c] = drop(position + row * f + c, g(row, c));
    });
    return;
  }
  matmul<true, T>(
      gpu, {part.rows, f, f}, g,
      [=] DSNN_GPU(std::int64_t k, std::int64_t j) { return right[j * f + k]; },
      [=] DSNN_GPU(std::int64_t i, std::int64_t j, T value) {
        out[i * f + j] = drop(position + i * f + j, value);
      });
}

/// The sum over nodes of u drop(s)^T, with the stalk dimension known to the compiler: a warp adds
/// up every n-th node, a channel in each lane.
template <int kDim, class T>
void outer_sums(const Gpu& gpu, const StalkPart<T>& part, const Drop<T>& drop, const T* u,
                const T* s, T* sums) {
  constexpr int kSize = kDim * kDim, kPadded = next_power(kSize);
  constexpr std::int64_t kMostWarps = 1024;
  const std::int64_t f = part.f, nodes = part.rows / kDim, position = part.position;
  const std::int64_t warps = std::min(kMostWarps, nodes);
  T* partial = static_cast<T*>(gpu.scratch(static_cast<std::size_t>(warps * kSize) * sizeof(T)));
  for_warps(gpu, warps, [=] DSNN_GPU(std::int64_t warp, int lane) {
    T values[kPadded] = {};
    for (std::int64_t node = warp; node < nodes; node += warps) {
      for (std::int64_t c = lane; c < f; c += kWarp) {
        T left[kDim], right[kDim];
        DSNN_UNROLL
        for (int i = 0; i < kDim; ++i) {
          const std::int64_t at = (node * kDim + i) * f + c;
          left[i] = u[at];
          right[i] = drop(position + at, s[at]);
        }
        DSNN_UNROLL
        for (int e = 0; e < kSize; ++e) values[e] += left[e / kDim] * right[e % kDim];
      }
    }
    const T sum = sum_transposed<kPadded>(values, lane);
    constexpr int kLanes = kWarp / kPadded;
    if (lane % kLanes == 0 && lane / kLanes < kSize) {
      partial[warp * kSize + lane / kLanes] = sum;
    }
  });
  column_sums(
      gpu, warps, kSize, 1,
      [=] DSNN_GPU(std::int64_t row, std::int64_t e) { return partial[row * kSize + e]; }, sums);
}

/// grad_L = the sum over nodes of (grad R^T) drop(x)^T
template <class T>
void backward_left(const Gpu& gpu, const StalkPart<T>& part, const Drop<T>& drop, const T* x,
                   const T* grad, T* grad_left) {
  const std::int64_t d = part.d, f = part.f, position = part.position;
  const T* right = part.right;
  const T* u = grad + position;
  if (right != nullptr) {
    T* product = static_cast<T*>(gpu.scratch(static_cast<std::size_t>(part.rows * f) * sizeof(T)));
    matmul<true, T>(
        gpu, {part.rows, f, f},
        [=] DSNN_GPU(std::int64_t i, std::int64_t k) { return grad[position + i * f + k]; },
        [=] DSNN_GPU(std::int64_t k, std::int64_t j) { return right[j * f + k]; },
        [=] DSNN_GPU(std::int64_t i, std::int64_t j, T value) { product[i * f + j] = value; });
    u = product;
  }
  switch (d) {
    case 2:
      return outer_sums<2>(gpu, part, drop, u, x + position, grad_left);
    case 3:
      return outer_sums<3>(gpu, part, drop, u, x + position, grad_left);
    case 4:
      return outer_sums<4>(gpu, part, drop, u, x + position, grad_left);
    case 5:
      return outer_sums<5>(gpu, part, drop, u, x + position, grad_left);
    default:
      break;
  }
  const T* s = x + position;
  // Term k of the sum: node k / f and channel k % f.
  const auto place = [=] DSNN_GPU(std::int64_t k, std::int64_t i) {
    return (k / f * d + i) * f + k % f;
  };
  long_product(
      gpu, d, d, part.rows / d * f,
      [=] DSNN_GPU(std::int64_t i, std::int64_t k) { return u[place(k, i)]; },
      [=] DSNN_GPU(std::int64_t k, std::int64_t j) {
        const std::int64_t at = place(k, j);
        return drop(position + at, s[at]);
      },
      grad_left);
}

/// grad_R = (L drop(x))^T grad
template <class T>
void backward_right(const Gpu& gpu, const StalkPart<T>& part, const Drop<T>& drop, const T* x,
                    const T* grad, T* grad_right) {
  const std::int64_t f = part.f;
  const auto entry = times_left<T, false>(part, x, drop);
  const T* g = grad + part.position;
  const auto right = [=] DSNN_GPU(std::int64_t k, std::int64_t j) { return g[k * f + j]; };
  if (f <= ProductCuts::kWide) {  // every entry is needed once
    return long_product(
        gpu, f, f, part.rows, [=] DSNN_GPU(std::int64_t i, std::int64_t k) { return entry(k, i); },
        right, grad_right);
  }
  T* t = static_cast<T*>(gpu.scratch(static_cast<std::size_t>(part.rows * f) * sizeof(T)));
  for_cells(gpu, part.rows, f,
            [=] DSNN_GPU(std::int64_t row, std::int64_t c) { t[row * f + c] = entry(row, c); });
  long_product(
      gpu, f, f, part.rows, [=] DSNN_GPU(std::int64_t i, std::int64_t k) { return t[k * f + i]; },
      right, grad_right);
}

}  // namespace

template <class T>
void stalk_linear(const Gpu& gpu, const StalkShape& shape, const StalkWeights<T>& weights,
                  const Dropout& dropout, const T* x, T* y) {
  const Drop<T> drop(gpu, dropout);
  for_parts(shape, weights, [&](const StalkPart<T>& part, std::int64_t) {
    const std::int64_t at = part.position;
    if (stalk_rows(gpu, part, drop, x + at, y + at)) return;
    forward_part(gpu, part, drop, x, y);
  });
}

template <class T>
void stalk_linear_backward(const Gpu& gpu, const StalkShape& shape, const StalkWeights<T>& weights,
                           const Dropout& dropout, const T* x, const T* grad, T* grad_x,
                           T* grad_left, T* grad_right) {
  const Drop<T> drop(gpu, dropout);
  for_parts(shape, weights, [&](const StalkPart<T>& part, std::int64_t p) {
    const std::int64_t d = part.d, f = part.f, at = part.position;
    T* of_left = grad_left == nullptr ? nullptr : grad_left + p * d * d;
    T* of_right = grad_right == nullptr ? nullptr : grad_right + p * f * f;
    if (stalk_rows_backward(gpu, part, drop, x + at, grad + at, grad_x + at, of_left, of_right)) {
      return;
    }
    in_parallel(
        gpu, [&] { backward_x(gpu, part, drop, grad, grad_x); },
        [&] {
          if (part.left != nullptr) backward_left(gpu, part, drop, x, grad, of_left);
        },
        [&] {
          if (part.right != nullptr) backward_right(gpu, part, drop, x, grad, of_right);
        });
  });
}

#define DSNN_INSTANTIATE(T)                                                                  \
  template void stalk_linear(const Gpu&, const StalkShape&, const StalkWeights<T>&,          \
                             const Dropout&, const T*, T*);                                  \
  template void stalk_linear_backward(const Gpu&, const StalkShape&, const StalkWeights<T>&, \
                                      const Dropout&, const T*, const T*, T*, T*, T*);
DSNN_INSTANTIATE(float)
DSNN_INSTANTIATE(double)
#undef DSNN_INSTANTIATE

}  // namespace dsnn::kernels::cuda
