// All operators at a glance: torch.ops.dsnn.*, and the classes whose objects they take. The
// arithmetic of `name` and its gradient are registered in name.cpp; *_backward has no derivative of
// its own.
#include "dsnn/util/error.h"

#include "ops/autograd.h"
#include "ops/graph_holder.h"
#include "ops/sparse_holder.h"

#include <ATen/ATen.h>
#include <torch/library.h>

#include <fmt/format.h>

#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace dsnn::ops {
namespace {

template <class T>
std::vector<T> vector_of(const at::Tensor& tensor, at::ScalarType dtype) {
  const at::Tensor t = tensor.detach().to(at::kCPU, dtype).contiguous();
  return {t.data_ptr<T>(), t.data_ptr<T>() + t.numel()};
}

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
  if (weights.has_value()) values = vector_of<double>(*weights, at::kDouble);
  return c10::make_intrusive<GraphHolder>(
      Graph(DirectedGraph::from_arcs(static_cast<NodeId>(num_nodes), list, values)));
}

/// SparseMatrix(row_offsets [rows + 1], cols [entries], values [entries] or None, num_cols)
SparsePtr make_sparse_matrix(const at::Tensor& row_offsets, const at::Tensor& cols,
                             const c10::optional<at::Tensor>& values, std::int64_t num_cols) {
  for (const at::Tensor* list : {&row_offsets, &cols}) {
    if (list->dim() != 1 || !at::isIntegralType(list->scalar_type(), false)) {
      throw Error(
          "SparseMatrix: row_offsets and cols must be tensors of integers with one "
          "dimension");
    }
  }
  if (values.has_value() && values->numel() != cols.numel()) {
    throw Error(
        fmt::format("SparseMatrix: values has {} numbers, expected one for each of the {} "
                    "entries",
                    values->numel(), cols.numel()));
  }
  // Not cut off silently: what does not fit into 32 bits is outside in any case.
  const std::vector<std::int64_t> wide = vector_of<std::int64_t>(cols, at::kLong);
  for (std::size_t e = 0; e < wide.size(); ++e) {
    if (wide[e] < 0 || wide[e] >= num_cols) {
      throw Error(fmt::format("SparseMatrix: entry {} has column {}, expected 0 to {}", e, wide[e],
                              num_cols - 1));
    }
  }
  return c10::make_intrusive<SparseHolder>(SparseMatrix(
      vector_of<std::int64_t>(row_offsets, at::kLong), {wide.begin(), wide.end()},
      values.has_value() ? vector_of<double>(*values, at::kDouble) : std::vector<double>(),
      num_cols));
}

TORCH_LIBRARY(dsnn, m) {
  m.class_<GraphHolder>("Graph")
      .def(torch::init(&make_graph))
      .def("num_nodes", &GraphHolder::num_nodes)
      .def("num_half_edges", &GraphHolder::num_half_edges);

  m.class_<SparseHolder>("SparseMatrix")
      .def(torch::init(&make_sparse_matrix))
      .def("num_rows", &SparseHolder::num_rows)
      .def("num_cols", &SparseHolder::num_cols)
      .def("num_entries", &SparseHolder::num_entries);

#define DSNN_GRAPH "__torch__.torch.classes.dsnn.Graph graph"
  m.def("sheaf_maps(Tensor left, Tensor right, " DSNN_GRAPH ", str activation) -> Tensor");
  m.def("sheaf_maps_backward(Tensor params, Tensor grad, " DSNN_GRAPH
        ", str activation) -> (Tensor, Tensor)");
  m.def("edge_weights(Tensor left, Tensor right, " DSNN_GRAPH ") -> Tensor");
  m.def("edge_weights_backward(Tensor left, Tensor right, Tensor grad, " DSNN_GRAPH
        ") -> (Tensor, Tensor)");
  m.def("scaled_maps(Tensor maps, Tensor? edge_weights, " DSNN_GRAPH
        ", str family, str normalisation, bool low_pass, bool high_pass) -> (Tensor, Tensor)");
  m.def("scaled_maps_forward(Tensor maps, Tensor? edge_weights, " DSNN_GRAPH
        ", str family, str normalisation, bool low_pass, bool high_pass)"
        " -> (Tensor, Tensor, Tensor, Tensor)");
  m.def(
      "scaled_maps_backward(Tensor maps, Tensor? edge_weights, Tensor eigenvalues, Tensor "
      "eigenvectors"
      ", Tensor grad_scaled, Tensor grad_diagonal, " DSNN_GRAPH
      ", str family, str normalisation, bool low_pass, bool high_pass) -> (Tensor, Tensor)");
  m.def("scaled_diffusion(Tensor x, Tensor scaled, Tensor diagonal, Tensor? charge, " DSNN_GRAPH
        ") -> Tensor");
  m.def(
      "scaled_diffusion_backward(Tensor x, Tensor scaled, Tensor diagonal, Tensor? charge, Tensor "
      "grad"
      ", " DSNN_GRAPH ") -> (Tensor, Tensor, Tensor, Tensor)");
  m.def("sheaf_diffusion(Tensor x, Tensor maps, Tensor? edge_weights, Tensor? charge, " DSNN_GRAPH
        ", str family, str normalisation, bool low_pass, bool high_pass) -> Tensor");
#undef DSNN_GRAPH
  m.def("orthogonal(Tensor params, int dim, str method) -> Tensor");
  m.def("orthogonal_backward(Tensor params, Tensor grad, int dim, str method) -> Tensor");

  m.def("stalk_update(Tensor x, Tensor y, Tensor eps, str activation) -> Tensor");
  m.def(
      "stalk_update_backward(Tensor x, Tensor y, Tensor eps, Tensor grad, str activation)"
      " -> (Tensor, Tensor, Tensor)");

  m.def(
      "bias_activation(Tensor x, Tensor? bias, str activation, float dropout, int seed) -> Tensor");
  m.def(
      "bias_activation_backward(Tensor x, Tensor? bias, Tensor grad, str activation, float dropout"
      ", int seed) -> (Tensor, Tensor)");
  m.def("dropout(Tensor x, float probability, int seed, bool merged_planes) -> Tensor");
  m.def("linear(Tensor x, Tensor weight, Tensor? bias) -> Tensor");
  m.def(
      "linear_backward(Tensor x, Tensor weight, Tensor grad, bool needs_x, bool needs_weight"
      ", bool needs_bias) -> (Tensor, Tensor, Tensor)");
  m.def(
      "stalk_linear(Tensor x, Tensor? left, Tensor? right, float dropout, int seed"
      ", bool merged_planes) -> Tensor");
  m.def(
      "stalk_linear_backward(Tensor x, Tensor? left, Tensor? right, Tensor grad, float dropout"
      ", int seed, bool merged_planes) -> (Tensor, Tensor, Tensor)");
  m.def("cross_entropy(Tensor logits, Tensor labels, Tensor nodes) -> Tensor");
  m.def(
      "cross_entropy_backward(Tensor logits, Tensor labels, Tensor nodes, Tensor grad) -> Tensor");

#define DSNN_SPARSE "__torch__.torch.classes.dsnn.SparseMatrix matrix"
  m.def("spmm(Tensor? values, Tensor x, " DSNN_SPARSE ") -> Tensor");
  m.def("spmm_backward(Tensor? values, Tensor? x, Tensor grad, " DSNN_SPARSE
        ", bool needs_x) -> (Tensor, Tensor)");
  m.def("sparse_linear(Tensor weight, " DSNN_SPARSE ", float dropout, int seed) -> Tensor");
  m.def("sparse_linear_backward(Tensor grad, " DSNN_SPARSE ", float dropout, int seed) -> Tensor");
  m.def("edge_sum(Tensor left, Tensor right, " DSNN_SPARSE ") -> Tensor");
  m.def("edge_sum_backward(Tensor grad, " DSNN_SPARSE
        ", bool needs_left, bool needs_right) -> (Tensor, Tensor)");
  m.def("edge_dot(Tensor x, Tensor y, " DSNN_SPARSE ", int heads) -> Tensor");
  m.def("edge_dot_backward(Tensor? x, Tensor? y, Tensor grad, " DSNN_SPARSE
        ", int heads) -> (Tensor, Tensor)");
  m.def("edge_attention(Tensor left, Tensor right, Tensor weight, " DSNN_SPARSE
        ", float slope) -> Tensor");
  m.def(
      "edge_attention_backward(Tensor left, Tensor right, Tensor weight, Tensor grad, " DSNN_SPARSE
      ", float slope, bool needs_right) -> (Tensor, Tensor, Tensor)");
  m.def("edge_softmax(Tensor scores, " DSNN_SPARSE ") -> Tensor");
  m.def("edge_softmax_backward(Tensor out, Tensor grad, " DSNN_SPARSE ") -> Tensor");
  m.def("edge_spmm(Tensor values, Tensor x, " DSNN_SPARSE ") -> Tensor");
  m.def("edge_spmm_backward(Tensor? values, Tensor? x, Tensor grad, " DSNN_SPARSE
        ", int heads) -> (Tensor, Tensor)");
  m.def("neighbour_max(Tensor x, " DSNN_SPARSE ") -> Tensor");
  m.def("neighbour_max_backward(Tensor x, Tensor grad, " DSNN_SPARSE ") -> Tensor");
#undef DSNN_SPARSE
}

}  // namespace

c10::OperatorHandle find_op(const char* name) {
  return c10::Dispatcher::singleton().findSchemaOrThrow(name, "");
}

}  // namespace dsnn::ops
