#pragma once

#include "dsnn/sheaf/options.h"

#include "kernels/executor.h"
#include "kernels/half_edges.h"
#include "util/internal_api.h"

#include <cstdint>

namespace dsnn::kernels {

/// params_h = act(left_u + right_v) for every half-edge h = (u,v) [eq:sheaf-maps].
/// left, right: [n, k]; params: [2m, k]. T is float or double.
template <class T>
DSNN_INTERNAL_API void sheaf_maps(const Executor& executor, const HalfEdges& graph,
                                  MapActivation activation, std::int64_t k, const T* left,
                                  const T* right, T* params);

/// With g_h = grad_h act'(params_h): grad_left_u = sum_h g_h, grad_right_u = sum_h g_h' over the
/// half-edges h of u. One gather for each node, so nothing is written twice.
template <class T>
DSNN_INTERNAL_API void sheaf_maps_backward(const Executor& executor, const HalfEdges& graph,
                                           MapActivation activation, std::int64_t k,
                                           const T* params, const T* grad, T* grad_left,
                                           T* grad_right);

/// w_h = sigmoid(a_h) sigmoid(a_h') with a_h = left_u + right_v [eq:learned-weight]; so w_h = w_h'.
/// left, right: [n]; weights: [2m].
template <class T>
DSNN_INTERNAL_API void edge_weights(const Executor& executor, const HalfEdges& graph, const T* left,
                                    const T* right, T* weights);

template <class T>
DSNN_INTERNAL_API void edge_weights_backward(const Executor& executor, const HalfEdges& graph,
                                             const T* left, const T* right, const T* grad,
                                             T* grad_left, T* grad_right);

}  // namespace dsnn::kernels
