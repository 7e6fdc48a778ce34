#pragma once

#include "dsnn/engine/sparse_matrix.h"
#include "dsnn/export.h"
#include "dsnn/nn/layers.h"

#include <cstdint>
#include <string>

namespace dsnn::nn {

/// Attention over the neighbours of a node [eq:attention]: y_u = sum_v a_uv x_v with
/// a_uv = softmax_v(leaky_relu(l . x_u + r . x_v)), for each of several heads.
class DSNN_API Attention {
 public:
  Attention() = default;
  Attention(Weights& weights, const std::string& name, std::int64_t heads, std::int64_t channels,
            Random& random);

  /// x: [n, heads channels]; the matrix defines the neighbours.
  engine::Value operator()(engine::Value x, const engine::SparseMatrix& neighbours,
                           const engine::Dropout& dropout = {}) const;

 private:
  engine::Weight left_, right_;  // [heads, channels]
};

/// The same with the scores of GATv2: b . leaky_relu(y_u + x_v) [eq:attention-v2], where y has its
/// own weights.
class DSNN_API AttentionV2 {
 public:
  AttentionV2() = default;
  AttentionV2(Weights& weights, const std::string& name, std::int64_t heads, std::int64_t channels,
              Random& random);

  engine::Value operator()(engine::Value y, engine::Value x, const engine::SparseMatrix& neighbours,
                           const engine::Dropout& dropout = {}) const;

 private:
  engine::Weight score_;  // [heads, channels]
};

}  // namespace dsnn::nn
