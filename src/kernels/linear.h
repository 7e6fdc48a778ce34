#pragma once

#include "kernels/executor.h"
#include "util/internal_api.h"

#include <cstdint>

namespace dsnn::kernels {

/// x: [planes, rows, inputs], weight: [planes, inputs, outputs], y: [rows, outputs].
struct LinearShape {
  std::int64_t planes = 1;
  std::int64_t rows = 0;
  std::int64_t inputs = 0;
  std::int64_t outputs = 0;
};

/// y = sum_p x_p W_p + bias [eq:linear]; the bias may be null. T is float or double. Every sum over
/// inputs is in order, so the bits do not depend on how rows are distributed over threads.
template <class T>
DSNN_INTERNAL_API void linear(const Executor& executor, const LinearShape& shape, const T* x,
                              const T* weight, const T* bias, T* y);

/// grad_x_p = grad W_p^T, grad_weight_p = x_p^T grad, grad_bias = the sum of grad's rows; null
/// outputs are skipped.
template <class T>
DSNN_INTERNAL_API void linear_backward(const Executor& executor, const LinearShape& shape,
                                       const T* x, const T* weight, const T* grad, T* grad_x,
                                       T* grad_weight, T* grad_bias);

}  // namespace dsnn::kernels
