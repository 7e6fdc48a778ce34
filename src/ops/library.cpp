// All operators at a glance: torch.ops.dsnn.*, and the class whose objects they take. The
// arithmetic of `name` and its gradient are registered in name.cpp; *_backward has no derivative of
// its own.
#include "dsnn/util/error.h"

#include "ops/autograd.h"
#include "ops/graph_holder.h"

#include <ATen/ATen.h>
#include <torch/library.h>

#include <fmt/format.h>

#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace dsnn::ops {
namespace {

/// Graph(num_nodes, arcs [a, 2], weights [a] or None)
GraphPtr make_graph(std::int64_t num_nodes, const at::Tensor& arcs,
                    const c10::optional<at::Tensor>& weights) {
  if (num_nodes < 0 || num_nodes > std::numeric_limits<NodeId>::max()) {
    throw Error(fmt::format("Graph: num_nodes is {}, expected 0 to 2147483647", num_nodes));
  }
  if (arcs.dim() != 2 || arcs.size(1) != 2 || !at::isIntegralType(arcs.scalar_type(), false)) {
    throw Error("Graph: arcs must be a tensor of integers of shape [number of arcs, 2]");
  }
  const at::Tensor ends = arcs.to(at::kCPU, at::kLong).contiguous();
  const auto* data = ends.data_ptr<std::int64_t>();
  std::vector<Arc> list(static_cast<std::size_t>(ends.size(0)));
  for (std::size_t i = 0; i < list.size(); ++i) {
    for (std::size_t end = 0; end < 2; ++end) {
      if (data[2 * i + end] < 0 || data[2 * i + end] >= num_nodes) {
        throw Error(fmt::format("Graph: arc {} has node {}, expected 0 to {}", i, data[2 * i + end],
                                num_nodes - 1));
      }
    }
    list[i] = {static_cast<NodeId>(data[2 * i]), static_cast<NodeId>(data[2 * i + 1])};
  }
  std::vector<double> values;
  if (weights.has_value()) {
    const at::Tensor w = weights->detach().to(at::kCPU, at::kDouble).contiguous().view({-1});
    values.assign(w.data_ptr<double>(), w.data_ptr<double>() + w.numel());
  }
  return c10::make_intrusive<GraphHolder>(
      Graph(DirectedGraph::from_arcs(static_cast<NodeId>(num_nodes), list, values)));
}

TORCH_LIBRARY(dsnn, m) {
  m.class_<GraphHolder>("Graph")
      .def(torch::init(&make_graph))
      .def("num_nodes", &GraphHolder::num_nodes)
      .def("num_half_edges", &GraphHolder::num_half_edges);

#define DSNN_GRAPH "__torch__.torch.classes.dsnn.Graph graph"
  m.def("sheaf_maps(Tensor left, Tensor right, " DSNN_GRAPH ", str activation) -> Tensor");
  m.def("sheaf_maps_backward(Tensor params, Tensor grad, " DSNN_GRAPH
        ", str activation) -> (Tensor, Tensor)");
  m.def("edge_weights(Tensor left, Tensor right, " DSNN_GRAPH ") -> Tensor");
  m.def("edge_weights_backward(Tensor left, Tensor right, Tensor grad, " DSNN_GRAPH
        ") -> (Tensor, Tensor)");
#undef DSNN_GRAPH

  m.def("stalk_update(Tensor x, Tensor y, Tensor eps, str activation) -> Tensor");
  m.def(
      "stalk_update_backward(Tensor x, Tensor y, Tensor eps, Tensor grad, str activation)"
      " -> (Tensor, Tensor, Tensor)");
}

}  // namespace

c10::OperatorHandle find_op(const char* name) {
  return c10::Dispatcher::singleton().findSchemaOrThrow(name, "");
}

}  // namespace dsnn::ops
