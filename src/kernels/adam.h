#pragma once

#include "kernels/executor.h"
#include "util/internal_api.h"

#include <cstdint>

namespace dsnn::kernels {

/// One step of Adam for some weights. `step` counts from 1.
struct AdamStep {
  double learning_rate = 0.01;
  double weight_decay = 0;
  std::int64_t step = 1;
  double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
};

/// g <- g + decay w; m <- b1 m + (1-b1) g; v <- b2 v + (1-b2) g^2;
/// w <- w - rate/(1-b1^t) m / (sqrt(v/(1-b2^t)) + epsilon) [eq:adam]. T is float or double.
template <class T>
DSNN_INTERNAL_API void adam_step(const Executor& executor, const AdamStep& step, std::int64_t size,
                                 const T* gradients, T* weights, T* first_moments,
                                 T* second_moments);

}  // namespace dsnn::kernels
