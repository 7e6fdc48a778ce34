#include "kernels/stalk_linear.h"

#include "kernels/cpu/known_dim.h"
#include "kernels/cpu/stalk_plane.h"
#include "kernels/cuda/dispatch.h"
#include "kernels/reduce_blocks.h"
#include "kernels/scratch.h"

#include <algorithm>
#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/stalk_linear.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// After foreach_target: these are compiled once for each instruction set.
#include "kernels/cpu/dispatch.h"
#include "kernels/cpu/dropout-inl.h"
#include "kernels/cpu/matmul-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dsnn::kernels::HWY_NAMESPACE {
namespace {

/// L s for each of a few nodes, where a vector of channels of all kDim rows fits into registers.
template <int kDim, class T>
void times_left_rows(const Factor<T>& left, std::int64_t nodes, std::int64_t f,
                     const T* HWY_RESTRICT s, T* HWY_RESTRICT out) {
  for (std::int64_t u = 0; u < nodes; ++u, s += kDim * f, out += kDim * f) {
    for_lanes<T>(f, [&](auto tag, std::int64_t c) HWY_ATTR {
      using V = hn::Vec<decltype(tag)>;
      V rows[kDim];
#pragma GCC unroll 8
      for (int j = 0; j < kDim; ++j) rows[j] = hn::LoadU(tag, s + j * f + c);
#pragma GCC unroll 8
      for (int i = 0; i < kDim; ++i) {
        V sum = hn::Zero(tag);
#pragma GCC unroll 8
        for (int j = 0; j < kDim; ++j) {
          sum = hn::MulAdd(hn::Set(tag, left.data[i * left.row + j * left.inner]), rows[j], sum);
        }
        hn::StoreU(sum, tag, out + i * f + c);
      }
    });
  }
}

/// L s for each of a few nodes; s itself without L.
template <class T>
const T* times_left(const StalkPlane<T>& plane, std::int64_t nodes, const T* s, bool transposed,
                    T* scratch) {
  if (plane.left == nullptr) return s;
  const std::int64_t d = plane.stalk_dim, f = plane.channels;
  const Factor<T> left = {plane.left, transposed ? 1 : d, transposed ? d : 1};
  with_known_dim<KnownDims<T, HWY_TARGET>::kStalkLinear>(d, [&]<int kDim>() {
    if constexpr (kDim > 0) {
      times_left_rows<kDim>(left, nodes, f, s, scratch);
    } else {
      for (std::int64_t u = 0; u < nodes; ++u) {
        matmul(d, d, f, left, s + u * d * f, f, scratch + u * d * f, f, false);
      }
    }
  });
  return scratch;
}

/// grad_L += the sum over nodes of u s^T, [d, d]: dot products of rows of channels. Of each 4 x 4
/// of them the lanes are kept apart until all nodes are through.
template <class T>
void add_outer_products(const StalkPlane<T>& plane, std::int64_t nodes, const T* u, const T* s,
                        T* grad_left) {
  constexpr std::int64_t kTile = 4;
  const hn::ScalableTag<T> tag;
  using V = hn::Vec<decltype(tag)>;
  const std::int64_t d = plane.stalk_dim, f = plane.channels;
  for (std::int64_t i0 = 0; i0 < d; i0 += kTile) {
    for (std::int64_t j0 = 0; j0 < d; j0 += kTile) {
      // Rows beyond the last repeat it; their results are not used.
      const auto row = [&](std::int64_t node, std::int64_t i) {
        return (node * d + std::min(i, d - 1)) * f;
      };
      T totals[kTile * kTile];
      sum_in_parts<kTile * kTile>(tag, f, totals, [&](int part, V* result) HWY_ATTR {
        V sums[kTile * kTile];
        for (V& sum : sums) sum = hn::Zero(tag);
        for (std::int64_t node = 0; node < nodes; ++node) {
          for_part(tag, f, part, [&](std::int64_t c, const auto& load) HWY_ATTR {
            V right[kTile];
#pragma GCC unroll 4
            for (std::int64_t j = 0; j < kTile; ++j) right[j] = load(s + row(node, j0 + j) + c);
#pragma GCC unroll 4
            for (std::int64_t i = 0; i < kTile; ++i) {
              const V left = load(u + row(node, i0 + i) + c);
#pragma GCC unroll 4
              for (std::int64_t j = 0; j < kTile; ++j) {
                sums[i * kTile + j] = hn::MulAdd(left, right[j], sums[i * kTile + j]);
              }
            }
          });
        }
        std::copy_n(sums, kTile * kTile, result);
      });
      for (std::int64_t i = 0; i < std::min(kTile, d - i0); ++i) {
        for (std::int64_t j = 0; j < std::min(kTile, d - j0); ++j) {
          grad_left[(i0 + i) * d + j0 + j] += totals[i * kTile + j];
        }
      }
    }
  }
}

/// drop(x) for numbers from `position` on; x itself without dropout.
template <class T>
const T* dropped(const Dropout& dropout, std::int64_t position, std::int64_t count, const T* x,
                 T* scratch) {
  if (dropout.probability == 0) return x;
  drop(dropout, position, count, x, scratch);
  return scratch;
}

/// y of a few nodes. scratch: two times their size.
template <class T>
void forward(const StalkPlane<T>& plane, const Dropout& dropout, std::int64_t position,
             std::int64_t nodes, const T* x, T* y, T* scratch) {
  const std::int64_t size = nodes * plane.node_size(), f = plane.channels;
  const T* s = dropped(dropout, position, size, x, scratch);
  const T* t = times_left(plane, nodes, s, false, scratch + size);
  if (plane.right == nullptr) {
    std::copy_n(t, size, y);
  } else {
    matmul(nodes * plane.stalk_dim, f, f, Factor<T>{t, f, 1}, plane.right, f, y, f, false);
  }
}

/// grad_x of a few nodes, and their contribution to grad_left and grad_right (null without these).
/// scratch: three times their size.
template <class T>
void backward(const StalkPlane<T>& plane, const Dropout& dropout, std::int64_t position,
              std::int64_t nodes, const T* x, const T* grad, T* grad_x, T* grad_left, T* grad_right,
              T* scratch) {
  const std::int64_t size = nodes * plane.node_size();
  const std::int64_t d = plane.stalk_dim, f = plane.channels, rows = nodes * d;
  const T* s = dropped(dropout, position, size, x, scratch);
  if (plane.right != nullptr) {
    const T* t = times_left(plane, nodes, s, false, scratch + size);
    matmul(f, rows, f, Factor<T>{t, 1, f}, grad, f, grad_right, f, true);
  }
  const T* u = grad;  // grad R^T
  if (plane.right != nullptr) {
    matmul(rows, f, f, Factor<T>{grad, f, 1}, plane.right_transposed, f, scratch + size, f, false);
    u = scratch + size;
  }
  if (plane.left != nullptr) add_outer_products(plane, nodes, u, s, grad_left);
  const T* g = times_left(plane, nodes, u, true, scratch + 2 * size);
  if (dropout.probability == 0) {
    std::copy_n(g, size, grad_x);
  } else {
    drop(dropout, position, size, g, grad_x);
  }
}

}  // namespace
}  // namespace dsnn::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dsnn::kernels {
namespace {

/// Nodes that are done at a time: their rows and the scratch stay in the first-level cache.
std::int64_t nodes_at_a_time(const StalkShape& shape) {
  constexpr std::int64_t kNumbers = 2048;
  return std::max<std::int64_t>(1, kNumbers / std::max<std::int64_t>(1, shape.node_size()));
}

template <class T>
ScratchVector<T> transpose(std::int64_t count, std::int64_t size, const T* from) {
  ScratchVector<T> to(static_cast<std::size_t>(from == nullptr ? 0 : count * size * size));
  for (std::int64_t k = 0; k < count && from != nullptr; ++k) {
    for (std::int64_t i = 0; i < size; ++i) {
      for (std::int64_t j = 0; j < size; ++j) {
        to[static_cast<std::size_t>((k * size + j) * size + i)] = from[(k * size + i) * size + j];
      }
    }
  }
  return to;
}

template <class T>
StalkPlane<T> plane_of(const StalkShape& shape, const StalkWeights<T>& weights,
                       const ScratchVector<T>& right_transposed, std::int64_t plane) {
  const std::int64_t which = weights.is_per_plane ? plane : 0;
  const std::int64_t d = shape.stalk_dim, f = shape.channels;
  return {d, f, weights.left == nullptr ? nullptr : weights.left + which * d * d,
          weights.right == nullptr ? nullptr : weights.right + which * f * f,
          right_transposed.empty() ? nullptr : right_transposed.data() + which * f * f};
}

}  // namespace

template <class T>
void stalk_linear(const Executor& executor, const StalkShape& shape, const StalkWeights<T>& weights,
                  const Dropout& dropout, const T* x, T* y) {
  DSNN_ON_GPU(stalk_linear(*gpu, shape, weights, dropout, x, y));
  const std::int64_t step = nodes_at_a_time(shape);
  const std::int64_t steps = (shape.nodes + step - 1) / step;
  const auto kernel = DSNN_DISPATCH(forward<T>);
  run_blocks(executor, shape.planes * steps, [&](BlockQueue& queue) {
    ScratchVector<T> scratch(static_cast<std::size_t>(2 * step * shape.node_size()));
    for (std::int64_t block; queue.take(block);) {
      const std::int64_t plane = block / steps, begin = block % steps * step;
      const std::int64_t first = plane * shape.plane_size() + begin * shape.node_size();
      kernel(plane_of(shape, weights, {}, plane), dropout, dropout.position(first),
             std::min(step, shape.nodes - begin), x + first, y + first, scratch.data());
    }
  });
}

template <class T>
void stalk_linear_backward(const Executor& executor, const StalkShape& shape,
                           const StalkWeights<T>& weights, const Dropout& dropout, const T* x,
                           const T* grad, T* grad_x, T* grad_left, T* grad_right) {
  DSNN_ON_GPU(
      stalk_linear_backward(*gpu, shape, weights, dropout, x, grad, grad_x, grad_left, grad_right));
  const std::int64_t d = shape.stalk_dim, f = shape.channels;
  const ScratchVector<T> right_transposed =
      transpose(weights.is_per_plane ? shape.planes : 1, f, weights.right);
  const std::int64_t step = nodes_at_a_time(shape);
  const ReduceBlocks blocks(shape.nodes, 8 * step);
  const std::int64_t num_blocks = shape.planes * blocks.count();
  const auto zeros = [&](const T* weight, std::int64_t size) {
    return ScratchVector<T>(static_cast<std::size_t>(weight == nullptr ? 0 : num_blocks * size), 0);
  };
  ScratchVector<T> left_sums = zeros(weights.left, d * d);
  ScratchVector<T> right_sums = zeros(weights.right, f * f);
  const auto kernel = DSNN_DISPATCH(backward<T>);
  run_blocks(executor, num_blocks, [&](BlockQueue& queue) {
    ScratchVector<T> scratch(static_cast<std::size_t>(3 * step * shape.node_size()));
    for (std::int64_t block; queue.take(block);) {
      const std::int64_t plane = block / blocks.count(), part = block % blocks.count();
      const StalkPlane<T> of_plane = plane_of(shape, weights, right_transposed, plane);
      for (std::int64_t u = blocks.begin(part); u < blocks.end(part); u += step) {
        const std::int64_t first = plane * shape.plane_size() + u * shape.node_size();
        kernel(of_plane, dropout, dropout.position(first), std::min(step, blocks.end(part) - u),
               x + first, grad + first, grad_x + first, left_sums.data() + block * d * d,
               right_sums.data() + block * f * f, scratch.data());
      }
    }
  });
  // The blocks of a plane are consecutive: shared weights sum over all planes.
  const std::int64_t num_weights = weights.is_per_plane ? shape.planes : 1;
  const auto add = [&](const ScratchVector<T>& sums, std::int64_t size, T* total) {
    for (std::int64_t k = 0; k < num_weights && !sums.empty(); ++k) {
      const std::int64_t count = num_blocks / num_weights;
      add_blocks(executor, sums.data() + k * count * size, count, size, total + k * size);
    }
  };
  add(left_sums, d * d, grad_left);
  add(right_sums, f * f, grad_right);
}

#define DSNN_INSTANTIATE(T)                                                                       \
  template void stalk_linear(const Executor&, const StalkShape&, const StalkWeights<T>&,          \
                             const Dropout&, const T*, T*);                                       \
  template void stalk_linear_backward(const Executor&, const StalkShape&, const StalkWeights<T>&, \
                                      const Dropout&, const T*, const T*, T*, T*, T*);
DSNN_INSTANTIATE(float)
DSNN_INSTANTIATE(double)
#undef DSNN_INSTANTIATE

}  // namespace dsnn::kernels
#endif  // HWY_ONCE
