#pragma once

#include "dsnn/ops/graph.h"

#include "kernels/half_edges.h"

#include <torch/custom_class.h>

#include <utility>

namespace dsnn::ops {

/// ops::Graph as a value of LibTorch's dispatcher: torch.classes.dsnn.Graph in Python.
struct GraphHolder final : torch::CustomClassHolder {
  explicit GraphHolder(Graph shared) : graph(std::move(shared)) {}

  kernels::HalfEdges half_edges() const { return kernels::HalfEdges(graph.directed()); }
  std::int64_t num_nodes() const { return graph.directed().num_nodes(); }
  std::int64_t num_half_edges() const { return graph.directed().num_half_edges(); }

  const Graph graph;
};

using GraphPtr = c10::intrusive_ptr<GraphHolder>;

}  // namespace dsnn::ops
