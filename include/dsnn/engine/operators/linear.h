#pragma once

#include "dsnn/engine/program.h"
#include "dsnn/export.h"
#include "dsnn/sheaf/options.h"

#include <cstdint>
#include <vector>

namespace dsnn::engine {

/// Dropout within an operator: each element is set to 0 with the given probability, as a function
/// only of the seed of the pass, the place of the dropout in the model and the index of the
/// element; the others are divided by 1 - probability [eq:dropout]. Nothing is stored for the
/// gradient. With merged planes, both parts of a complex number are dropped together.
struct Dropout {
  double probability = 0;
  std::int64_t place = 0;
  bool merged_planes = false;
};

/// The seed of the dropout at one place of a pass.
DSNN_API std::uint64_t dropout_seed(std::uint64_t pass_seed, std::int64_t place);

/// x with dropout. x: any shape; with merged planes, the planes are its first axis.
DSNN_API OperatorPtr dropout_operator(const Dropout& dropout);
/// Returns x itself if the probability is 0.
DSNN_API Value drop(Value x, const Dropout& dropout);

/// sum_p x_p W_p + bias [eq:linear]: a linear map of all planes of a node's features to real
/// values. x: [rows, inputs] with weight [inputs, outputs], or [planes, rows, inputs] with weight
/// [planes, inputs, outputs]; bias: [outputs] or omitted; result: [rows, outputs].
///
/// Differentiable in all three. The same bits for any number of threads.
DSNN_API OperatorPtr linear_operator();
DSNN_API Value linear(Value x, const Operand& weight, const Operand& bias = {});

/// drop(sigma(x + bias)) [eq:bias-activation] in one pass. x: [rows, columns]; bias: [columns] or
/// omitted. Differentiable in both. The same bits for any number of threads.
DSNN_API OperatorPtr bias_activation_operator(StalkActivation activation, const Dropout& dropout);
DSNN_API Value bias_activation(Value x, const Operand& bias, StalkActivation activation,
                               const Dropout& dropout = {});

/// The weights of a layer [eq:stalk-linear]: y_u = L drop(x_u) R for every node u, in one pass.
///
/// x: [planes, n, d, f]; left: [d, d], right: [f, f], or one per plane, [planes, d, d] and
/// [planes, f, f]; omitted means the identity. Differentiable in all three. The same bits for any
/// number of threads.
DSNN_API OperatorPtr stalk_linear_operator(const Dropout& dropout);
DSNN_API Value stalk_linear(Value x, const Operand& left, const Operand& right,
                            const Dropout& dropout = {});

/// The last step of a layer [eq:stalk-update]: diag(1 + eps) x - sigma(y), in one pass.
///
/// x, y: [planes, n, d, f], planes 1 (real) or 2 (real and imaginary parts); eps: [d], one value
/// per stalk dimension. Differentiable in all three. The same bits for any number of threads.
DSNN_API OperatorPtr stalk_update_operator(StalkActivation activation);
DSNN_API Value stalk_update(Value x, Value y, Value eps, StalkActivation activation);

/// The mean of -log softmax(logits_u)[label_u] over some nodes u [eq:cross-entropy]. logits: [n,
/// classes]; labels: [n], those of the nodes must be 0 .. classes-1; at least one node. The result
/// is a single value. Differentiable in the logits. With a `total` above 0, the sum is divided by
/// it instead of by the number of nodes, of which there may be none: the share of a part of a graph
/// in the mean over `total` nodes.
DSNN_API OperatorPtr cross_entropy_operator(std::vector<std::int64_t> labels,
                                            std::vector<std::int64_t> nodes,
                                            std::int64_t total = 0);
DSNN_API Value cross_entropy(Value logits, std::vector<std::int64_t> labels,
                             std::vector<std::int64_t> nodes, std::int64_t total = 0);

/// The mean of -log p_i with p_i = sigmoid(x_i) for label 1 and 1 - sigmoid(x_i) for label 0
/// [eq:binary-cross-entropy]. scores: [k, 1], at least one; labels: [k], 0 or 1. The result is a
/// single value. Differentiable in the scores. The same bits for any number of threads.
DSNN_API OperatorPtr binary_cross_entropy_operator(const std::vector<std::int64_t>& labels);
DSNN_API Value binary_cross_entropy(Value scores, const std::vector<std::int64_t>& labels);

}  // namespace dsnn::engine
