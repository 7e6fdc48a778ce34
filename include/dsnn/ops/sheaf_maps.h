#pragma once

#include "dsnn/export.h"
#include "dsnn/ops/graph.h"
#include "dsnn/ops/options.h"

namespace at {
class Tensor;
}

namespace dsnn::ops {

/// Parameters of the restriction maps from per-node projections [eq:sheaf-maps]:
/// params_h = act(left_u + right_v) for h = (u,v), which is act(W [x_u || x_v]) with left = W_l x,
/// right = W_r x. Nothing is concatenated or gathered per edge.
///
/// left, right: [n, k]; result: [2m, k] in half-edge order. Differentiable once in left and right.
/// Time and memory O(m k). The same bits for any number of threads.
/// torch.ops.dsnn.sheaf_maps(left, right, graph, activation), with 'tanh', 'elu', 'relu' or
/// 'identity'.
DSNN_API at::Tensor sheaf_maps(const at::Tensor& left, const at::Tensor& right, const Graph& graph,
                               MapActivation activation);

/// The learned weight of an edge [eq:learned-weight]: w_h = sigmoid(a_h) sigmoid(a_h'),
/// a_h = left_u + right_v. left, right: [n]; result: [2m], equal for h and h'. Differentiable once.
/// torch.ops.dsnn.edge_weights(left, right, graph).
DSNN_API at::Tensor edge_weights(const at::Tensor& left, const at::Tensor& right,
                                 const Graph& graph);

}  // namespace dsnn::ops
