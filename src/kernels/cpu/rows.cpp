#include "kernels/rows.h"

#include "kernels/cuda/dispatch.h"
#include "kernels/reduce_blocks.h"
#include "kernels/scratch.h"

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/rows.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// After foreach_target: these are compiled once for each instruction set.
#include "kernels/cpu/dispatch.h"
#include "kernels/cpu/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dsnn::kernels::HWY_NAMESPACE {
namespace {

/// to = a x + b y
template <class T>
HWY_INLINE void row_sum(std::int64_t size, T a, const T* x, T b, const T* y, T* to) {
  for_lanes<T>(size, [&](auto d, std::int64_t i) HWY_ATTR {
    const auto first = hn::Mul(hn::Set(d, a), hn::LoadU(d, x + i));
    hn::StoreU(hn::MulAdd(hn::Set(d, b), hn::LoadU(d, y + i), first), d, to + i);
  });
}

template <class T>
void unit_row(std::int64_t size, const T* x, T* y) {
  constexpr T kLeast = static_cast<T>(1e-12);
  const T norm = std::max(std::sqrt(dot_product(size, x, x)), kLeast);
  for_lanes<T>(size, [&](auto d, std::int64_t i) HWY_ATTR {
    hn::StoreU(hn::Div(hn::LoadU(d, x + i), hn::Set(d, norm)), d, y + i);
  });
}

/// (g - y (y . g)) / |x| with y = x / |x|; if |x| is clamped, the second term vanishes.
template <class T>
void unit_row_backward(std::int64_t size, const T* x, const T* grad, T* grad_x) {
  constexpr T kLeast = static_cast<T>(1e-12);
  const T length = std::sqrt(dot_product(size, x, x));
  const T norm = std::max(length, kLeast);
  const T share = length > kLeast ? dot_product(size, x, grad) / (norm * norm) : 0;
  row_sum(size, 1 / norm, grad, -share / norm, x, grad_x);
}

template <class T>
void relu_row(std::int64_t size, const T* re, const T* im, const T* bias, T* out_re, T* out_im) {
  for_lanes<T>(size, [&](auto d, std::int64_t i) HWY_ATTR {
    const auto b = hn::LoadU(d, bias + i);
    const auto real = hn::Add(hn::LoadU(d, re + i), b), imag = hn::Add(hn::LoadU(d, im + i), b);
    const auto is_out = hn::Lt(real, hn::Zero(d));
    hn::StoreU(hn::IfThenZeroElse(is_out, real), d, out_re + i);
    hn::StoreU(hn::IfThenZeroElse(is_out, imag), d, out_im + i);
  });
}

/// Adds both planes' gradients up in `sums`.
template <class T>
void relu_row_backward(std::int64_t size, const T* re, const T* bias, const T* grad_re,
                       const T* grad_im, T* out_re, T* out_im, T* sums) {
  for_lanes<T>(size, [&](auto d, std::int64_t i) HWY_ATTR {
    const auto real = hn::Add(hn::LoadU(d, re + i), hn::LoadU(d, bias + i));
    const auto is_out = hn::Lt(real, hn::Zero(d));
    const auto a = hn::IfThenZeroElse(is_out, hn::LoadU(d, grad_re + i));
    const auto b = hn::IfThenZeroElse(is_out, hn::LoadU(d, grad_im + i));
    hn::StoreU(a, d, out_re + i);
    hn::StoreU(b, d, out_im + i);
    hn::StoreU(hn::Add(hn::LoadU(d, sums + i), hn::Add(a, b)), d, sums + i);
  });
}

template <class T>
void add_row(std::int64_t size, T factor, const T* x, T* sum) {
  for_lanes<T>(size, [&](auto d, std::int64_t i) HWY_ATTR {
    hn::StoreU(hn::MulAdd(hn::Set(d, factor), hn::LoadU(d, x + i), hn::LoadU(d, sum + i)), d,
               sum + i);
  });
}

}  // namespace
}  // namespace dsnn::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dsnn::kernels {
namespace {

/// work(row) for all rows of this length, in blocks.
template <class Work>
void for_rows(const Executor& executor, std::int64_t rows, std::int64_t columns, const Work& work) {
  constexpr std::int64_t kNumbers = 8192;
  const std::int64_t step =
      std::max<std::int64_t>(1, kNumbers / std::max<std::int64_t>(columns, 1));
  run_blocks(executor, (rows + step - 1) / step, [&](BlockQueue& queue) {
    for (std::int64_t block; queue.take(block);) {
      const std::int64_t end = std::min(rows, (block + 1) * step);
      for (std::int64_t row = block * step; row < end; ++row) work(row);
    }
  });
}

/// work(row, sums) for all rows, with separate sums for each block of rows, which are then added
/// up.
template <class T, class Work>
void sum_over_rows(const Executor& executor, std::int64_t rows, std::int64_t size, T* total,
                   const Work& work) {
  const ReduceBlocks blocks(rows, 32);
  ScratchVector<T> partial(static_cast<std::size_t>(blocks.count() * size));
  run_blocks(executor, blocks.count(), [&](BlockQueue& queue) {
    for (std::int64_t block; queue.take(block);) {
      for (std::int64_t row = blocks.begin(block); row < blocks.end(block); ++row) {
        work(row, partial.data() + block * size);
      }
    }
  });
  if (total != nullptr) add_blocks(executor, partial.data(), blocks.count(), size, total);
}

}  // namespace

template <class T>
void copy_columns(const Executor& executor, std::int64_t rows, std::int64_t columns, const T* from,
                  std::int64_t from_stride, T* to, std::int64_t to_stride) {
  DSNN_ON_GPU(copy_columns(*gpu, rows, columns, from, from_stride, to, to_stride));
  for_rows(executor, rows, columns, [&](std::int64_t row) {
    if (from == nullptr) {
      std::fill_n(to + row * to_stride, columns, T{0});
    } else {
      std::copy_n(from + row * from_stride, columns, to + row * to_stride);
    }
  });
}

template <class T>
void copy_columns(const Executor& executor, std::int64_t rows,
                  std::span<const ColumnCopy<T>> copies) {
  DSNN_ON_GPU(copy_columns(*gpu, rows, copies));
  for (const auto& [columns, from, from_stride, to, to_stride] : copies) {
    copy_columns(executor, rows, columns, from, from_stride, to, to_stride);
  }
}

template <class T>
void unit_rows(const Executor& executor, std::int64_t rows, std::int64_t columns, const T* x,
               T* y) {
  DSNN_ON_GPU(unit_rows(*gpu, rows, columns, x, y));
  const auto kernel = DSNN_DISPATCH(unit_row<T>);
  for_rows(executor, rows, columns,
           [&](std::int64_t row) { kernel(columns, x + row * columns, y + row * columns); });
}

template <class T>
void unit_rows_backward(const Executor& executor, std::int64_t rows, std::int64_t columns,
                        const T* x, const T* grad, T* grad_x) {
  DSNN_ON_GPU(unit_rows_backward(*gpu, rows, columns, x, grad, grad_x));
  const auto kernel = DSNN_DISPATCH(unit_row_backward<T>);
  for_rows(executor, rows, columns, [&](std::int64_t row) {
    kernel(columns, x + row * columns, grad + row * columns, grad_x + row * columns);
  });
}

template <class T>
void sum_middle(const Executor& executor, std::int64_t outer, std::int64_t middle,
                std::int64_t inner, T factor, const T* x, T* y) {
  DSNN_ON_GPU(sum_middle(*gpu, outer, middle, inner, factor, x, y));
  const auto add = DSNN_DISPATCH(add_row<T>);
  for_rows(executor, outer, middle * inner, [&](std::int64_t i) {
    T* to = y + i * inner;
    std::fill_n(to, inner, T{0});
    for (std::int64_t j = 0; j < middle; ++j) add(inner, factor, x + (i * middle + j) * inner, to);
  });
}

template <class T>
void sum_middle_backward(const Executor& executor, std::int64_t outer, std::int64_t middle,
                         std::int64_t inner, T factor, const T* grad, T* grad_x) {
  DSNN_ON_GPU(sum_middle_backward(*gpu, outer, middle, inner, factor, grad, grad_x));
  for_rows(executor, outer, middle * inner, [&](std::int64_t i) {
    for (std::int64_t j = 0; j < middle; ++j) {
      for (std::int64_t k = 0; k < inner; ++k) {
        grad_x[(i * middle + j) * inner + k] = factor * grad[i * inner + k];
      }
    }
  });
}

template <class T>
void head_dot(const Executor& executor, std::int64_t rows, std::int64_t heads,
              std::int64_t channels, const T* x, const T* weight, T* y) {
  DSNN_ON_GPU(head_dot(*gpu, rows, heads, channels, x, weight, y));
  const auto dot = DSNN_DISPATCH(dot_product<T>);
  for_rows(executor, rows, heads * channels, [&](std::int64_t row) {
    for (std::int64_t h = 0; h < heads; ++h) {
      y[row * heads + h] = dot(channels, x + (row * heads + h) * channels, weight + h * channels);
    }
  });
}

template <class T>
void head_dot_backward(const Executor& executor, std::int64_t rows, std::int64_t heads,
                       std::int64_t channels, const T* x, const T* weight, const T* grad, T* grad_x,
                       T* grad_weight) {
  DSNN_ON_GPU(head_dot_backward(*gpu, rows, heads, channels, x, weight, grad, grad_x, grad_weight));
  const auto add = DSNN_DISPATCH(add_row<T>);
  const std::int64_t size = heads * channels;
  sum_over_rows(executor, rows, size, grad_weight, [&](std::int64_t row, T* sums) {
    for (std::int64_t h = 0; h < heads; ++h) {
      const T g = grad[row * heads + h];
      if (grad_weight != nullptr) {
        add(channels, g, x + row * size + h * channels, sums + h * channels);
      }
      if (grad_x == nullptr) continue;
      T* to = grad_x + row * size + h * channels;
      std::fill_n(to, channels, T{0});
      add(channels, g, weight + h * channels, to);
    }
  });
}

template <class T>
void complex_bias_relu(const Executor& executor, std::int64_t rows, std::int64_t columns,
                       const T* x, const T* bias, T* y) {
  DSNN_ON_GPU(complex_bias_relu(*gpu, rows, columns, x, bias, y));
  const auto kernel = DSNN_DISPATCH(relu_row<T>);
  const std::int64_t plane = rows * columns;
  for_rows(executor, rows, columns, [&](std::int64_t row) {
    const std::int64_t at = row * columns;
    kernel(columns, x + at, x + plane + at, bias, y + at, y + plane + at);
  });
}

template <class T>
void complex_bias_relu_backward(const Executor& executor, std::int64_t rows, std::int64_t columns,
                                const T* x, const T* bias, const T* grad, T* grad_x, T* grad_bias) {
  DSNN_ON_GPU(complex_bias_relu_backward(*gpu, rows, columns, x, bias, grad, grad_x, grad_bias));
  const auto kernel = DSNN_DISPATCH(relu_row_backward<T>);
  const std::int64_t plane = rows * columns;
  sum_over_rows(executor, rows, columns, grad_bias, [&](std::int64_t row, T* sums) {
    const std::int64_t at = row * columns;
    kernel(columns, x + at, bias, grad + at, grad + plane + at, grad_x + at, grad_x + plane + at,
           sums);
  });
}

#define DSNN_INSTANTIATE(T)                                                                        \
  template void copy_columns(const Executor&, std::int64_t, std::int64_t, const T*, std::int64_t,  \
                             T*, std::int64_t);                                                    \
  template void copy_columns(const Executor&, std::int64_t, std::span<const ColumnCopy<T>>);       \
  template void unit_rows(const Executor&, std::int64_t, std::int64_t, const T*, T*);              \
  template void unit_rows_backward(const Executor&, std::int64_t, std::int64_t, const T*,          \
                                   const T*, T*);                                                  \
  template void sum_middle(const Executor&, std::int64_t, std::int64_t, std::int64_t, T, const T*, \
                           T*);                                                                    \
  template void sum_middle_backward(const Executor&, std::int64_t, std::int64_t, std::int64_t, T,  \
                                    const T*, T*);                                                 \
  template void head_dot(const Executor&, std::int64_t, std::int64_t, std::int64_t, const T*,      \
                         const T*, T*);                                                            \
  template void head_dot_backward(const Executor&, std::int64_t, std::int64_t, std::int64_t,       \
                                  const T*, const T*, const T*, T*, T*);                           \
  template void complex_bias_relu(const Executor&, std::int64_t, std::int64_t, const T*, const T*, \
                                  T*);                                                             \
  template void complex_bias_relu_backward(const Executor&, std::int64_t, std::int64_t, const T*,  \
                                           const T*, const T*, T*, T*);
DSNN_INSTANTIATE(float)
DSNN_INSTANTIATE(double)
#undef DSNN_INSTANTIATE

}  // namespace dsnn::kernels
#endif  // HWY_ONCE
