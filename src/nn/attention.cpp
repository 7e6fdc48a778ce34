#include "nn/attention.h"

#include "dsnn/ops/edges.h"

#include <ATen/Functions.h>

namespace dsnn::nn {
namespace {

constexpr double kSlope = 0.2;

at::Tensor head_weights(Weights& weights, const std::string& name, std::int64_t heads,
                        std::int64_t channels, Random& random) {
  return weights.add(name, {heads, channels}, linear_init(heads * channels, channels, random));
}

at::Tensor attend(const at::Tensor& scores, const at::Tensor& x,
                  const ops::SparseMatrix& neighbours, const ops::DropoutOptions& dropout) {
  const at::Tensor shares = ops::edge_softmax(scores, neighbours);
  return ops::edge_spmm(dropout.probability > 0 ? ops::dropout(shares, dropout) : shares, x,
                        neighbours);
}

}  // namespace

Attention::Attention(Weights& weights, const std::string& name, std::int64_t heads,
                     std::int64_t channels, Random& random)
    : heads_(heads),
      left_(head_weights(weights, name + ".left", heads, channels, random)),
      right_(head_weights(weights, name + ".right", heads, channels, random)) {}

at::Tensor Attention::operator()(const at::Tensor& x, const ops::SparseMatrix& neighbours,
                                 const ops::DropoutOptions& dropout) const {
  const at::Tensor by_head = x.view({x.size(0), heads_, -1});
  const at::Tensor scores =
      ops::edge_sum((by_head * left_).sum(2), (by_head * right_).sum(2), neighbours);
  return attend(at::leaky_relu(scores, kSlope), x, neighbours, dropout);
}

AttentionV2::AttentionV2(Weights& weights, const std::string& name, std::int64_t heads,
                         std::int64_t channels, Random& random)
    : score_(head_weights(weights, name + ".score", heads, channels, random)) {}

at::Tensor AttentionV2::operator()(const at::Tensor& y, const at::Tensor& x,
                                   const ops::SparseMatrix& neighbours,
                                   const ops::DropoutOptions& dropout) const {
  return attend(ops::edge_attention(y, x, score_, neighbours, kSlope), x, neighbours, dropout);
}

}  // namespace dsnn::nn
