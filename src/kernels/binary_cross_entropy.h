#pragma once

#include "kernels/executor.h"
#include "util/internal_api.h"

#include <cstdint>

// [eq:binary-cross-entropy]. T is float or double; signs: -1 for label 1, 1 for label 0. The same
// bits for any number of threads.
namespace dsnn::kernels {

/// *loss = the mean of log(1 + exp(sign_i x_i)). On a GPU, the signs are in the host's memory.
template <class T>
DSNN_INTERNAL_API void binary_cross_entropy(const Executor& executor, std::int64_t size, const T* x,
                                            const T* signs, T* loss);

/// grad_x_i = *grad / size sign_i sigmoid(sign_i x_i).
template <class T>
DSNN_INTERNAL_API void binary_cross_entropy_backward(const Executor& executor, std::int64_t size,
                                                     const T* x, const T* signs, const T* grad,
                                                     T* grad_x);

}  // namespace dsnn::kernels
