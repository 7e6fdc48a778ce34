#include "kernels/sheaf_maps.h"

#include "dsnn/engine/operators/sheaf.h"
#include "dsnn/sheaf/names.h"

#include "engine/operators/checks.h"
#include "engine/operators/grad_place.h"
#include "kernels/half_edges.h"

#include <utility>

namespace dsnn::engine {
namespace {

class SheafMaps final : public OperatorOf<SheafMaps> {
 public:
  SheafMaps(Graph graph, MapActivation activation)
      : graph_(std::move(graph)), activation_(activation) {}
  std::string name() const override { return "sheaf_maps"; }
  std::string attributes() const override { return name_of(activation_); }
  Shapes infer(const Shapes& inputs) const override {
    const Checks checks("sheaf_maps", inputs);
    const Shape& left = checks.shape(0, "left", {graph_.directed().num_nodes(), -1});
    checks.shape(1, "right", left);
    return {{graph_.directed().num_half_edges(), left[1]}};
  }
  bool is_cheap() const override { return true; }
  /// The result: act' is a function of the value of act, so the sums need not be stored.
  Needs backward_needs(ArgumentSet /*wanted*/) const override { return {{}, {0}}; }
  Cost cost(const Shapes& inputs, const Shapes& results) const override {
    constexpr double kOperations = 20;  // of an activation
    const auto size = static_cast<double>(num_numbers(results[0]));
    return {2 * size + static_cast<double>(num_numbers(inputs[0])), kOperations * size};
  }
  PartRule part_rule(const Shapes& /*inputs*/) const override {
    return {.result = PartRule::Result::kAllRows,
            .kind = RowKind::kHalfEdges,
            .gathers = {{0, RowKind::kNodes, 1}, {1, RowKind::kNodes, 1}}};
  }

  template <class T>
  void forward_pass(const Call<T>& call) const {
    kernels::sheaf_maps(call.executor, kernels::HalfEdges(graph_.directed()), activation_,
                        call.shapes[0][1], call.inputs[0], call.inputs[1], call.outputs[0]);
  }
  template <class T>
  void backward_pass(const Call<T>& call) const {
    const GradPlace<T> left(call, 0), right(call, 1);
    kernels::sheaf_maps_backward<T>(call.executor, kernels::HalfEdges(graph_.directed()),
                                    activation_, call.shapes[0][1], call.outputs[0], call.grads[0],
                                    left, right);
  }

 private:
  Graph graph_;
  MapActivation activation_;
};

class EdgeWeights final : public OperatorOf<EdgeWeights> {
 public:
  explicit EdgeWeights(Graph graph) : graph_(std::move(graph)) {}
  std::string name() const override { return "edge_weights"; }
  Shapes infer(const Shapes& inputs) const override {
    const Checks checks("edge_weights", inputs);
    const Shape& left = checks.shape(0, "left", {graph_.directed().num_nodes()});
    checks.shape(1, "right", left);
    return {{graph_.directed().num_half_edges()}};
  }
  Cost cost(const Shapes& inputs, const Shapes& results) const override {
    constexpr double kOperations = 40;  // of two sigmoids
    const auto size = static_cast<double>(num_numbers(results[0]));
    return {2 * size + static_cast<double>(num_numbers(inputs[0])), kOperations * size};
  }
  PartRule part_rule(const Shapes& /*inputs*/) const override {
    return {.result = PartRule::Result::kAllRows,
            .kind = RowKind::kHalfEdges,
            .gathers = {{0, RowKind::kNodes, 1}, {1, RowKind::kNodes, 1}}};
  }

  template <class T>
  void forward_pass(const Call<T>& call) const {
    kernels::edge_weights(call.executor, kernels::HalfEdges(graph_.directed()), call.inputs[0],
                          call.inputs[1], call.outputs[0]);
  }
  template <class T>
  void backward_pass(const Call<T>& call) const {
    const GradPlace<T> left(call, 0), right(call, 1);
    kernels::edge_weights_backward<T>(call.executor, kernels::HalfEdges(graph_.directed()),
                                      call.inputs[0], call.inputs[1], call.grads[0], left, right);
  }

 private:
  Graph graph_;
};

}  // namespace

OperatorPtr sheaf_maps_operator(Graph graph, MapActivation activation) {
  return std::make_shared<SheafMaps>(std::move(graph), activation);
}
Value sheaf_maps(Value left, Value right, const Graph& graph, MapActivation activation) {
  return left.program().apply_one(sheaf_maps_operator(graph, activation), {left, right});
}

OperatorPtr edge_weights_operator(Graph graph) {
  return std::make_shared<EdgeWeights>(std::move(graph));
}
Value edge_weights(Value left, Value right, const Graph& graph) {
  return left.program().apply_one(edge_weights_operator(graph), {left, right});
}

}  // namespace dsnn::engine
