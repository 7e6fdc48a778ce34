#pragma once

#include "kernels/dropout.h"
#include "kernels/executor.h"
#include "kernels/stalk_update.h"
#include "util/internal_api.h"

#include <cstdint>

namespace dsnn::kernels {

/// The two weights of a layer: `left` [planes or 1, d, d] on stalk dimensions, `right` [planes or
/// 1, f, f] on channels. Null: the identity.
template <class T>
struct StalkWeights {
  const T* left = nullptr;
  const T* right = nullptr;
  bool is_per_plane = false;  ///< else both planes share one
};

/// y_u = L drop(x_u) R for every node and plane [eq:stalk-linear]. x, y: of `shape`. T is float or
/// double. The same bits for any number of threads.
template <class T>
DSNN_INTERNAL_API void stalk_linear(const Executor& executor, const StalkShape& shape,
                                    const StalkWeights<T>& weights, const Dropout& dropout,
                                    const T* x, T* y);

/// Gradients of x and of the weights, if not null; of the same shapes.
template <class T>
DSNN_INTERNAL_API void stalk_linear_backward(const Executor& executor, const StalkShape& shape,
                                             const StalkWeights<T>& weights, const Dropout& dropout,
                                             const T* x, const T* grad, T* grad_x, T* grad_left,
                                             T* grad_right);

}  // namespace dsnn::kernels
