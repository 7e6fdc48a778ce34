#pragma once

#include "dsnn/export.h"
#include "dsnn/ops/options.h"

namespace at {
class Tensor;
}

namespace dsnn::ops {

/// The last step of a layer [eq:stalk-update]: diag(1 + eps) x - sigma(y), in one pass.
///
/// x, y: [planes, n, d, f], planes 1 (real) or 2 (real and imaginary parts); eps: [d], one number
/// for each stalk dimension. Differentiable once in all three; keeps only them for that. The same
/// bits for any number of threads.
/// torch.ops.dsnn.stalk_update(x, y, eps, activation), with 'identity', 'relu' or 'elu'.
DSNN_API at::Tensor stalk_update(const at::Tensor& x, const at::Tensor& y, const at::Tensor& eps,
                                 StalkActivation activation);

}  // namespace dsnn::ops
