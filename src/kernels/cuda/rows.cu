#include "kernels/cuda/kernels.h"
#include "kernels/cuda/math.h"
#include "kernels/cuda/reduce.h"
#include "kernels/rows.h"

namespace dsnn::kernels::cuda {
namespace {

/// The sum of x_i y_i over a row, by the lanes of a warp.
template <class T>
DSNN_GPU_INLINE T row_dot(std::int64_t size, const T* x, const T* y, int lane) {
  T sum = 0;
  for (std::int64_t i = lane; i < size; i += kWarp) sum += x[i] * y[i];
  return warp_sum(sum);
}

/// Copies that a kernel takes by value.
template <class T>
struct Copies {
  static constexpr int kMost = 8;
  ColumnCopy<T> data[kMost];
  int count = 0;
};

}  // namespace

template <class T>
void copy_columns(const Gpu& gpu, std::int64_t rows, std::int64_t columns, const T* from,
                  std::int64_t from_stride, T* to, std::int64_t to_stride) {
  const ColumnCopy<T> copy = {columns, from, from_stride, to, to_stride};
  copy_columns(gpu, rows, std::span(&copy, 1));
}

/// All copies in one launch, or in a few.
template <class T>
void copy_columns(const Gpu& gpu, std::int64_t rows, std::span<const ColumnCopy<T>> copies) {
  Copies<T> now;
  std::int64_t columns = 0;
  for (; !copies.empty() && now.count < Copies<T>::kMost; copies = copies.subspan(1)) {
    now.data[now.count++] = copies[0];
    columns += copies[0].columns;
  }
  for_cells(gpu, rows, columns, [=] DSNN_GPU(std::int64_t row, std::int64_t column) {
    int i = 0;
    while (column >= now.data[i].columns) column -= now.data[i++].columns;
    const ColumnCopy<T>& copy = now.data[i];
    copy.to[row * copy.to_stride + column] =
        copy.from == nullptr ? T{0} : copy.from[row * copy.from_stride + column];
  });
  if (!copies.empty()) copy_columns(gpu, rows, copies);
}

template <class T>
void unit_rows(const Gpu& gpu, std::int64_t rows, std::int64_t columns, const T* x, T* y) {
  for_warps(gpu, rows, [=] DSNN_GPU(std::int64_t row, int lane) {
    const T least = static_cast<T>(1e-12);
    const T* from = x + row * columns;
    const T length = root_of(row_dot(columns, from, from, lane));
    const T norm = length > least ? length : least;
    for (std::int64_t i = lane; i < columns; i += kWarp) y[row * columns + i] = from[i] / norm;
  });
}

// (g - y (y . g)) / |x| with y = x / |x|; if |x| is clamped, the second term vanishes.
template <class T>
void unit_rows_backward(const Gpu& gpu, std::int64_t rows, std::int64_t columns, const T* x,
                        const T* grad, T* grad_x) {
  for_warps(gpu, rows, [=] DSNN_GPU(std::int64_t row, int lane) {
    const T least = static_cast<T>(1e-12);
    const T* from = x + row * columns;
    const T* g = grad + row * columns;
    const T length = root_of(row_dot(columns, from, from, lane));
    const T product = row_dot(columns, from, g, lane);
    const T norm = length > least ? length : least;
    const T share = length > least ? product / (norm * norm) : T{0};
    for (std::int64_t i = lane; i < columns; i += kWarp) {
      grad_x[row * columns + i] = g[i] / norm - share / norm * from[i];
    }
  });
}

template <class T>
void sum_middle(const Gpu& gpu, std::int64_t outer, std::int64_t middle, std::int64_t inner,
                T factor, const T* x, T* y) {
  for_cells(gpu, outer, inner, [=] DSNN_GPU(std::int64_t i, std::int64_t k) {
    T sum = 0;
    for (std::int64_t j = 0; j < middle; ++j) sum += factor * x[(i * middle + j) * inner + k];
    y[i * inner + k] = sum;
  });
}

template <class T>
void sum_middle_backward(const Gpu& gpu, std::int64_t outer, std::int64_t middle,
                         std::int64_t inner, T factor, const T* grad, T* grad_x) {
  for_cells(gpu, outer * middle, inner, [=] DSNN_GPU(std::int64_t row, std::int64_t k) {
    grad_x[row * inner + k] = factor * grad[divide(row, middle) * inner + k];
  });
}

template <class T>
void head_dot(const Gpu& gpu, std::int64_t rows, std::int64_t heads, std::int64_t channels,
              const T* x, const T* weight, T* y) {
  for_warps(gpu, rows * heads, [=] DSNN_GPU(std::int64_t i, int lane) {
    const T sum = row_dot(channels, x + i * channels,
                          weight + (i - divide(i, heads) * heads) * channels, lane);
    if (lane == 0) y[i] = sum;
  });
}

template <class T>
void head_dot_backward(const Gpu& gpu, std::int64_t rows, std::int64_t heads, std::int64_t channels,
                       const T* x, const T* weight, const T* grad, T* grad_x, T* grad_weight) {
  const std::int64_t size = heads * channels;
  if (grad_x != nullptr) {
    for_cells(gpu, rows, size, [=] DSNN_GPU(std::int64_t row, std::int64_t c) {
      grad_x[row * size + c] = grad[row * heads + divide(c, channels)] * weight[c];
    });
  }
  if (grad_weight == nullptr) return;
  column_sums(
      gpu, rows, size, 1,
      [=] DSNN_GPU(std::int64_t row, std::int64_t c) {
        return grad[row * heads + divide(c, channels)] * x[row * size + c];
      },
      grad_weight);
}

template <class T>
void complex_bias_relu(const Gpu& gpu, std::int64_t rows, std::int64_t columns, const T* x,
                       const T* bias, T* y) {
  const std::int64_t plane = rows * columns;
  for_cells(gpu, rows, columns, [=] DSNN_GPU(std::int64_t row, std::int64_t column) {
    const std::int64_t at = row * columns + column;
    const T real = x[at] + bias[column], imag = x[plane + at] + bias[column];
    y[at] = real < 0 ? T{0} : real;
    y[plane + at] = real < 0 ? T{0} : imag;
  });
}

template <class T>
void complex_bias_relu_backward(const Gpu& gpu, std::int64_t rows, std::int64_t columns, const T* x,
                                const T* bias, const T* grad, T* grad_x, T* grad_bias) {
  const std::int64_t plane = rows * columns;
  for_cells(gpu, rows, columns, [=] DSNN_GPU(std::int64_t row, std::int64_t column) {
    const std::int64_t at = row * columns + column;
    const bool is_out = x[at] + bias[column] < 0;
    grad_x[at] = is_out ? T{0} : grad[at];
    grad_x[plane + at] = is_out ? T{0} : grad[plane + at];
  });
  if (grad_bias == nullptr) return;
  column_sums(
      gpu, 2 * rows, columns, 1,
      [=] DSNN_GPU(std::int64_t row, std::int64_t column) {
        return grad_x[row * columns + column];
      },
      grad_bias);
}

#define DSNN_INSTANTIATE(T)                                                                        \
  template void copy_columns(const Gpu&, std::int64_t, std::int64_t, const T*, std::int64_t, T*,   \
                             std::int64_t);                                                        \
  template void copy_columns(const Gpu&, std::int64_t, std::span<const ColumnCopy<T>>);            \
  template void unit_rows(const Gpu&, std::int64_t, std::int64_t, const T*, T*);                   \
  template void unit_rows_backward(const Gpu&, std::int64_t, std::int64_t, const T*, const T*,     \
                                   T*);                                                            \
  template void sum_middle(const Gpu&, std::int64_t, std::int64_t, std::int64_t, T, const T*, T*); \
  template void sum_middle_backward(const Gpu&, std::int64_t, std::int64_t, std::int64_t, T,       \
                                    const T*, T*);                                                 \
  template void head_dot(const Gpu&, std::int64_t, std::int64_t, std::int64_t, const T*, const T*, \
                         T*);                                                                      \
  template void head_dot_backward(const Gpu&, std::int64_t, std::int64_t, std::int64_t, const T*,  \
                                  const T*, const T*, T*, T*);                                     \
  template void complex_bias_relu(const Gpu&, std::int64_t, std::int64_t, const T*, const T*, T*); \
  template void complex_bias_relu_backward(const Gpu&, std::int64_t, std::int64_t, const T*,       \
                                           const T*, const T*, T*, T*);
DSNN_INSTANTIATE(float)
DSNN_INSTANTIATE(double)
#undef DSNN_INSTANTIATE

}  // namespace dsnn::kernels::cuda
