#pragma once

#include "dsnn/engine/function.h"

#include "kernels/executor.h"
#include "util/internal_api.h"

#include <cstdint>
#include <span>

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

/// out = *factor x, and *sum = the sum of x y, the gradient of the factor.
template <class T>
DSNN_INTERNAL_API void scale(const Executor& executor, std::int64_t size, const T* factor,
                             const T* x, T* out);
template <class T>
DSNN_INTERNAL_API void dot(const Executor& executor, std::int64_t size, const T* x, const T* y,
                           T* sum);

/// out_i = the largest of arrays[k][i]; NaN wins, so that training reports it. At most 64 arrays.
template <class T>
DSNN_INTERNAL_API void maximum(const Executor& executor, std::int64_t size,
                               std::span<const T* const> arrays, T* out);
/// The gradient goes to the first array with the largest value. Null results are skipped.
template <class T>
DSNN_INTERNAL_API void maximum_backward(const Executor& executor, std::int64_t size,
                                        std::span<const T* const> arrays, const T* grad,
                                        std::span<T* const> grad_arrays);

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
