#include "dsnn/nn/attention.h"

#include "dsnn/engine/operators/arithmetic.h"
#include "dsnn/engine/operators/columns.h"
#include "dsnn/engine/operators/edges.h"

namespace dsnn::nn {
namespace {

using engine::Value;

engine::Weight head_weights(Weights& weights, const std::string& name, std::int64_t heads,
                            std::int64_t channels, Random& random) {
  return weights.add(name, {heads, channels}, linear_init(heads * channels, channels, random));
}

Value attend(Value scores, Value x, const engine::SparseMatrix& neighbours,
             const engine::Dropout& dropout) {
  return edge_spmm(drop(edge_softmax(scores, neighbours), dropout), x, neighbours);
}

}  // namespace

Attention::Attention(Weights& weights, const std::string& name, std::int64_t heads,
                     std::int64_t channels, Random& random)
    : left_(head_weights(weights, name + ".left", heads, channels, random)),
      right_(head_weights(weights, name + ".right", heads, channels, random)) {}

Value Attention::operator()(Value x, const engine::SparseMatrix& neighbours,
                            const engine::Dropout& dropout) const {
  const Value right = head_dot(x, right_);
  const Value left = head_dot(x, left_);
  return attend(leaky_relu(edge_sum(left, right, neighbours)), x, neighbours, dropout);
}

AttentionV2::AttentionV2(Weights& weights, const std::string& name, std::int64_t heads,
                         std::int64_t channels, Random& random)
    : score_(head_weights(weights, name + ".score", heads, channels, random)) {}

Value AttentionV2::operator()(Value y, Value x, const engine::SparseMatrix& neighbours,
                              const engine::Dropout& dropout) const {
  return attend(edge_attention(y, x, score_, neighbours), x, neighbours, dropout);
}

}  // namespace dsnn::nn
