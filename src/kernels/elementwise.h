#pragma once

#include "dsnn/engine/function.h"

#include "kernels/executor.h"
#include "util/internal_api.h"

#include <cstdint>

// Elementwise functions. T is float or double; results may overwrite arguments.
namespace dsnn::kernels {

/// out = a x + b y + c; y may be null.
template <class T>
DSNN_INTERNAL_API void combine(const Executor& executor, std::int64_t size, double a, const T* x,
                               double b, const T* y, double c, T* out);

/// out = x y
template <class T>
DSNN_INTERNAL_API void multiply(const Executor& executor, std::int64_t size, const T* x, const T* y,
                                T* out);

/// out = factor x, and the sum of x y, the gradient of the factor.
template <class T>
DSNN_INTERNAL_API void scale(const Executor& executor, std::int64_t size, T factor, const T* x,
                             T* out);
template <class T>
DSNN_INTERNAL_API T dot(const Executor& executor, std::int64_t size, const T* x, const T* y);

/// y = f(x)
template <class T>
DSNN_INTERNAL_API void apply_function(const Executor& executor, engine::Function function,
                                      std::int64_t size, const T* x, T* y);
/// grad_x = f'(x) grad, computed from x.
template <class T>
DSNN_INTERNAL_API void apply_function_backward(const Executor& executor, engine::Function function,
                                               std::int64_t size, const T* x, const T* grad,
                                               T* grad_x);

}  // namespace dsnn::kernels
