#pragma once

#include "dsnn/sheaf/options.h"

#include "kernels/executor.h"
#include "util/internal_api.h"

#include <cstdint>

namespace dsnn::kernels {

/// Features of stalks: [planes, nodes, stalk_dim, channels], planes 1 or 2.
struct StalkShape {
  std::int64_t planes = 1;
  std::int64_t nodes = 0;
  std::int64_t stalk_dim = 0;
  std::int64_t channels = 0;

  std::int64_t node_size() const { return stalk_dim * channels; }
  std::int64_t plane_size() const { return nodes * node_size(); }
};

/// out = diag(1 + eps) x - sigma(y) [eq:stalk-update]. x, y, out: of `shape`; eps: [stalk_dim].
/// T is float or double.
template <class T>
DSNN_INTERNAL_API void stalk_update(const Executor& executor, const StalkShape& shape,
                                    StalkActivation activation, const T* x, const T* y,
                                    const T* eps, T* out);

/// grad_x = (1 + eps) grad, grad_y = -sigma'(y) grad, grad_eps_i = sum grad x over planes, nodes
/// and channels. One pass.
template <class T>
DSNN_INTERNAL_API void stalk_update_backward(const Executor& executor, const StalkShape& shape,
                                             StalkActivation activation, const T* x, const T* y,
                                             const T* eps, const T* grad, T* grad_x, T* grad_y,
                                             T* grad_eps);

}  // namespace dsnn::kernels
