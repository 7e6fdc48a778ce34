#pragma once

#include "dsnn/export.h"
#include "dsnn/ops/options.h"

#include <cstdint>

namespace at {
class Tensor;
}

namespace dsnn::ops {

/// Dropout within an operator: each number is left out with the given probability, by a function of
/// the seed and of its place alone, the others are divided by 1 - probability [eq:dropout]. Nothing
/// is kept for the gradient. With merged planes both parts of a complex number share their fate.
struct DropoutOptions {
  double probability = 0;
  std::int64_t seed = 0;
  bool merged_planes = false;
};

/// x with dropout. x: any shape; with merged planes, the planes are its first axis. Differentiable
/// once. torch.ops.dsnn.dropout(x, probability, seed, merged_planes).
DSNN_API at::Tensor dropout(const at::Tensor& x, const DropoutOptions& options);

/// sum_p x_p W_p + bias [eq:linear]: a linear map of all planes of a node's features to real
/// numbers. x: [rows, inputs] with weight [inputs, outputs], or [planes, rows, inputs] with weight
/// [planes, inputs, outputs]; bias: [outputs] or undefined; result: [rows, outputs].
///
/// Unlike a product by way of BLAS it has the same bits for any number of threads. Differentiable
/// once in all three. torch.ops.dsnn.linear(x, weight, bias).
DSNN_API at::Tensor linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias);

/// drop(sigma(x + bias)) [eq:bias-activation] in one pass. x: [rows, columns]; bias: [columns] or
/// undefined. Differentiable once in both. The same bits for any number of threads.
/// torch.ops.dsnn.bias_activation(x, bias, activation, dropout, seed).
DSNN_API at::Tensor bias_activation(const at::Tensor& x, const at::Tensor& bias,
                                    StalkActivation activation, const DropoutOptions& dropout = {});

/// The weights of a layer [eq:stalk-linear]: y_u = L drop(x_u) R for every node u, in one pass.
///
/// x: [planes, n, d, f]; left: [d, d], right: [f, f], or one for each plane, [planes, d, d] and
/// [planes, f, f]; either may be undefined, which is the identity. Differentiable once in all
/// three. The same bits for any number of threads. torch.ops.dsnn.stalk_linear(x, left, right,
/// dropout, seed, merged_planes).
DSNN_API at::Tensor stalk_linear(const at::Tensor& x, const at::Tensor& left,
                                 const at::Tensor& right, const DropoutOptions& dropout = {});

}  // namespace dsnn::ops
