#pragma once

#include "dsnn/ops/linear.h"
#include "dsnn/ops/sparse.h"

#include "nn/layers.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>

namespace dsnn::nn {

/// Attention over the neighbours of a node [eq:attention]: y_u = sum_v a_uv x_v with
/// a_uv = softmax_v(leaky_relu(l . x_u + r . x_v)), for each of several heads.
class Attention {
 public:
  Attention() = default;
  Attention(Weights& weights, const std::string& name, std::int64_t heads, std::int64_t channels,
            Random& random);

  /// x: [n, heads channels]; the matrix says who the neighbours are.
  at::Tensor operator()(const at::Tensor& x, const ops::SparseMatrix& neighbours,
                        const ops::DropoutOptions& dropout = {}) const;

 private:
  std::int64_t heads_ = 0;
  at::Tensor left_, right_;  // [heads, channels]
};

/// The same with the scores of GATv2: b . leaky_relu(y_u + x_v) [eq:attention-v2], where y has
/// weights of its own.
class AttentionV2 {
 public:
  AttentionV2() = default;
  AttentionV2(Weights& weights, const std::string& name, std::int64_t heads, std::int64_t channels,
              Random& random);

  at::Tensor operator()(const at::Tensor& y, const at::Tensor& x,
                        const ops::SparseMatrix& neighbours,
                        const ops::DropoutOptions& dropout = {}) const;

 private:
  at::Tensor score_;  // [heads, channels]
};

}  // namespace dsnn::nn
