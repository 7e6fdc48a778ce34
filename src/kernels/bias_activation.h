#pragma once

#include "dsnn/sheaf/options.h"

#include "kernels/dropout.h"
#include "kernels/executor.h"
#include "util/internal_api.h"

#include <cstdint>

namespace dsnn::kernels {

/// y = drop(sigma(x + bias)) [eq:bias-activation]. x, y: [rows, columns]; bias: [columns] or null.
/// T is float or double.
template <class T>
DSNN_INTERNAL_API void bias_activation(const Executor& executor, std::int64_t rows,
                                       std::int64_t columns, StalkActivation activation,
                                       const Dropout& dropout, const T* x, const T* bias, T* y);

/// grad_x = sigma'(x + bias) o drop(grad), and grad_bias, if not null, the sum of its rows.
template <class T>
DSNN_INTERNAL_API void bias_activation_backward(const Executor& executor, std::int64_t rows,
                                                std::int64_t columns, StalkActivation activation,
                                                const Dropout& dropout, const T* x, const T* bias,
                                                const T* grad, T* grad_x, T* grad_bias);

}  // namespace dsnn::kernels
