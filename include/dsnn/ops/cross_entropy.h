#pragma once

#include "dsnn/export.h"

namespace at {
class Tensor;
}

namespace dsnn::ops {

/// The mean of -log softmax(logits_u)[label_u] over some nodes u [eq:cross-entropy].
///
/// logits: [n, classes]; labels: [n] of int64, of which those of the nodes must be 0 .. classes-1;
/// nodes: [k] of int64, k > 0. The result is one number. Differentiable once in the logits.
/// torch.ops.dsnn.cross_entropy(logits, labels, nodes).
DSNN_API at::Tensor cross_entropy(const at::Tensor& logits, const at::Tensor& labels,
                                  const at::Tensor& nodes);

}  // namespace dsnn::ops
