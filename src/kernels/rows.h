#pragma once

#include "kernels/executor.h"
#include "util/internal_api.h"

#include <cstdint>
#include <span>

// Functions of matrix rows. T is float or double. The same bits for any number of threads.
namespace dsnn::kernels {

/// Copies [rows, columns] between matrices with row strides `from_stride` and `to_stride`; zeros if
/// `from` is null.
template <class T>
DSNN_INTERNAL_API void copy_columns(const Executor& executor, std::int64_t rows,
                                    std::int64_t columns, const T* from, std::int64_t from_stride,
                                    T* to, std::int64_t to_stride);

/// The same for several pairs of matrices with as many rows.
template <class T>
struct ColumnCopy {
  std::int64_t columns;
  const T* from;
  std::int64_t from_stride;
  T* to;
  std::int64_t to_stride;
};
template <class T>
DSNN_INTERNAL_API void copy_columns(const Executor& executor, std::int64_t rows,
                                    std::span<const ColumnCopy<T>> copies);

/// y_r = x_r / max(|x_r|, 1e-12) [eq:unit-rows].
template <class T>
DSNN_INTERNAL_API void unit_rows(const Executor& executor, std::int64_t rows, std::int64_t columns,
                                 const T* x, T* y);
template <class T>
DSNN_INTERNAL_API void unit_rows_backward(const Executor& executor, std::int64_t rows,
                                          std::int64_t columns, const T* x, const T* grad,
                                          T* grad_x);

/// y[i, k] = factor sum_j x[i, j, k], x: [outer, middle, inner].
template <class T>
DSNN_INTERNAL_API void sum_middle(const Executor& executor, std::int64_t outer, std::int64_t middle,
                                  std::int64_t inner, T factor, const T* x, T* y);
template <class T>
DSNN_INTERNAL_API void sum_middle_backward(const Executor& executor, std::int64_t outer,
                                           std::int64_t middle, std::int64_t inner, T factor,
                                           const T* grad, T* grad_x);

/// y[r, h] = x[r, h, :] . w[h, :] [eq:head-dot]
template <class T>
DSNN_INTERNAL_API void head_dot(const Executor& executor, std::int64_t rows, std::int64_t heads,
                                std::int64_t channels, const T* x, const T* weight, T* y);
/// Null outputs are skipped.
template <class T>
DSNN_INTERNAL_API void head_dot_backward(const Executor& executor, std::int64_t rows,
                                         std::int64_t heads, std::int64_t channels, const T* x,
                                         const T* weight, const T* grad, T* grad_x, T* grad_weight);

/// y = 0 where the real part of z = x + (1 + i) bias is negative, else z. x: [2, rows, columns].
template <class T>
DSNN_INTERNAL_API void complex_bias_relu(const Executor& executor, std::int64_t rows,
                                         std::int64_t columns, const T* x, const T* bias, T* y);
/// Computed from x and bias.
template <class T>
DSNN_INTERNAL_API void complex_bias_relu_backward(const Executor& executor, std::int64_t rows,
                                                  std::int64_t columns, const T* x, const T* bias,
                                                  const T* grad, T* grad_x, T* grad_bias);

}  // namespace dsnn::kernels
