#include "kernels/scaled_maps.h"

#include "dsnn/engine/operators/sheaf.h"
#include "dsnn/sheaf/names.h"

#include "engine/operators/checks.h"
#include "engine/operators/grad_place.h"

#include <utility>

namespace dsnn::engine {
namespace {

/// [planes, rows, d, d], without axes that do not apply.
Shape block_shape(bool has_planes, std::int64_t rows, std::int64_t d, bool is_diagonal) {
  Shape shape = {rows, d};
  if (!is_diagonal) shape.push_back(d);
  if (has_planes) shape.insert(shape.begin(), 2);
  return shape;
}

class ScaledMaps final : public OperatorOf<ScaledMaps> {
 public:
  ScaledMaps(Graph graph, const DiffusionOptions& options)
      : graph_(std::move(graph)), options_(options) {}
  std::string name() const override { return "scaled_maps"; }
  std::string attributes() const override {
    return fmt::format("{}, {}", name_of(options_.family), name_of(options_.normalisation));
  }

  Shapes infer(const Shapes& inputs) const override {
    const Checks checks("scaled_maps", inputs);
    const Shape& maps = checks.there(0, "maps");
    const std::size_t rank = options_.family == MapFamily::kDiagonal ? 2 : 3;
    const std::int64_t count = graph_.directed().num_half_edges();
    const std::int64_t d = maps.size() >= rank ? maps.back() : -1;
    if (maps != block_shape(maps.size() == rank + 1, count, d, rank == 2) || d < 1) {
      const char* dims = rank == 2 ? "d" : "d, d";
      checks.fail(
          fmt::format("maps must have shape [{0}, {1}], or [2, {0}, {1}] if complex (got {2})",
                      count, dims, shape_text(maps)));
    }
    if (inputs.has(1)) checks.shape(1, "edge_weights", {count});
    const auto sheaf = sheaf_of<float>(inputs, nullptr, nullptr);
    const bool is_complex = sheaf.is_complex, is_diagonal = sheaf.is_diagonal();
    const std::int64_t n = graph_.directed().num_nodes(), k = sheaf.num_eigenvalues();
    const std::int64_t full = sheaf.full_dim();
    return {block_shape(is_complex, count, full, is_diagonal),
            block_shape(is_complex && !is_diagonal, n, full, is_diagonal),
            {n, k},
            {sheaf.has_eigenvectors() ? n : 0, k, k}};
  }
  ArgumentSet differentiable_results() const override { return {0, 1}; }
  /// General maps need eigenvalues of matrices.
  bool is_cheap() const override { return options_.family != MapFamily::kGeneral; }
  /// The maps and D's eigenvalues (and eigenvectors, for general maps): recomputing S is cheaper
  /// than reading it.
  Needs backward_needs(ArgumentSet /*wanted*/) const override { return {{0, 1}, {2, 3}}; }
  Cost cost(const Shapes& inputs, const Shapes& results) const override {
    Cost cost = Operator::cost(inputs, results);
    cost.operations *= 4.0 * static_cast<double>(results[0].back());
    return cost;
  }
  /// D is a sum over all half-edges of a node, which its own part has.
  PartRule part_rule(const Shapes& /*inputs*/) const override {
    return {.result = PartRule::Result::kOwnRows, .kind = RowKind::kHalfEdges};
  }

  template <class T>
  void forward_pass(const Call<T>& call) const {
    kernels::scale_maps(call.executor, sheaf_of(call.shapes, call.inputs[0], call.inputs[1]),
                        call.outputs[0], call.outputs[1], call.outputs[2], call.outputs[3]);
  }
  template <class T>
  void backward_pass(const Call<T>& call) const {
    const GradPlace<T> maps(call, 0), weights(call, 1);
    kernels::scale_maps_backward<T>(
        call.executor, sheaf_of(call.shapes, call.inputs[0], call.inputs[1]), call.outputs[2],
        call.outputs[3], call.grads[0], call.grads[1], maps, weights);
  }

 private:
  template <class T>
  kernels::SheafMaps<T> sheaf_of(const Shapes& shapes, const T* maps, const T* weights) const {
    const std::vector<double>& scales = graph_.map_scales();
    kernels::SheafMaps<T> sheaf;
    sheaf.graph = kernels::HalfEdges(graph_.directed());
    sheaf.family = options_.family;
    sheaf.is_complex = shapes[0].size() == (options_.family == MapFamily::kDiagonal ? 3 : 4);
    sheaf.normalisation = options_.normalisation;
    sheaf.fixed = options_.fixed;
    sheaf.dim = shapes[0].back();
    sheaf.graph_scales = scales.empty() ? nullptr : scales.data();
    sheaf.maps = maps;
    sheaf.weights = weights;
    return sheaf;
  }

  Graph graph_;
  DiffusionOptions options_;
};

}  // namespace

OperatorPtr scaled_maps_operator(Graph graph, const DiffusionOptions& options) {
  return std::make_shared<ScaledMaps>(std::move(graph), options);
}
std::pair<Value, Value> scaled_maps(Value maps, const Operand& edge_weights, const Graph& graph,
                                    const DiffusionOptions& options) {
  const auto results =
      maps.program().apply(scaled_maps_operator(graph, options), {maps, edge_weights});
  return {results[0], results[1]};
}

}  // namespace dsnn::engine
