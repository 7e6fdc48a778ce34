#pragma once

#include "kernels/executor.h"
#include "util/internal_api.h"

#include <cstdint>

namespace dsnn::kernels {

/// y = softmax(x) of a few values, and grad_x = y (grad - y . grad). T is float or double.
template <class T>
DSNN_INTERNAL_API void softmax(const Executor& executor, std::int64_t size, const T* x, T* y);
template <class T>
DSNN_INTERNAL_API void softmax_backward(const Executor& executor, std::int64_t size, const T* y,
                                        const T* grad, T* grad_x);

/// The labelled nodes that a loss is the mean of.
struct LabelledNodes {
  std::int64_t num_nodes = 0;  // rows of the logits
  std::int64_t classes = 0;
  const std::int64_t* labels = nullptr;  // [num_nodes]
  std::int64_t count = 0;
  const std::int64_t* nodes = nullptr;        // [count]
  const std::int64_t* occurrences = nullptr;  // [num_nodes], of a node in `nodes`
  std::int64_t total = 0;  // what the sum is divided by: `count`, or that of all parts of a graph
};

/// The mean cross-entropy of the nodes [eq:cross-entropy]. logits: [num_nodes, classes]; the sum is
/// in double.
template <class T>
DSNN_INTERNAL_API void cross_entropy(const Executor& executor, const LabelledNodes& nodes,
                                     const T* logits, T* loss);
template <class T>
DSNN_INTERNAL_API void cross_entropy_backward(const Executor& executor, const LabelledNodes& nodes,
                                              const T* logits, const T* grad, T* grad_logits);

}  // namespace dsnn::kernels
