#include "dsnn/engine/operators/sheaf.h"

#include "engine/operators/checks.h"
#include "engine/operators/grad_place.h"
#include "kernels/sheaf_diffusion.h"

#include <utility>

namespace dsnn::engine {
namespace {

using kernels::BlockKind;

class ScaledDiffusion final : public OperatorOf<ScaledDiffusion> {
 public:
  ScaledDiffusion(Graph graph, std::int64_t num_fixed)
      : graph_(std::move(graph)), num_fixed_(num_fixed) {}
  std::string name() const override { return "scaled_diffusion"; }

  Shapes infer(const Shapes& inputs) const override {
    const Checks checks("scaled_diffusion", inputs);
    checks.there(0, "x");
    checks.there(1, "scaled");
    checks.there(2, "diagonal");
    const BlockKind kind = checked_kind(checks, inputs);
    const bool is_complex = kind == BlockKind::kComplexDiagonal || kind == BlockKind::kComplexDense;
    const std::int64_t n = graph_.directed().num_nodes();
    const Shape& x = checks.shape(0, "x", {-1, n, inputs[1].back(), -1});
    if (x[0] != 1 && x[0] != 2) {
      checks.fail(fmt::format("x must have a leading dimension of 1 or 2 planes (got shape {})",
                              shape_text(x)));
    }
    if (is_complex && x[0] != 2) {
      checks.fail(fmt::format("x must have 2 planes, because scaled is complex (got shape {})",
                              shape_text(x)));
    }
    if (inputs.has(3)) check_charge(checks, inputs, is_complex);
    return {x};
  }

  Needs backward_needs(ArgumentSet wanted) const override {
    const bool has_sheaf_grad = wanted.has(1) || wanted.has(2) || wanted.has(3);
    return has_sheaf_grad ? Needs{{0, 1, 2, 3}, {}} : Needs{{1, 2, 3}, {}};
  }
  /// One gather of a neighbour's rows for each half-edge.
  Cost cost(const Shapes& inputs, const Shapes& results) const override {
    const auto half_edges = static_cast<double>(graph_.directed().num_half_edges());
    const auto n = static_cast<double>(std::max<std::int64_t>(1, graph_.directed().num_nodes()));
    const double row = static_cast<double>(num_numbers(results[0])) / n;
    const bool is_diagonal = inputs[2].size() == 2;
    const double factor = is_diagonal ? 2 : 2 * static_cast<double>(inputs[1].back());
    Cost cost = Operator::cost(inputs, results);
    cost.numbers += half_edges * row;
    cost.operations = half_edges * row * factor;
    return cost;
  }
  PartRule part_rule(const Shapes& inputs) const override {
    const BlockKind kind = kind_of(inputs);
    const bool is_complex = kind == BlockKind::kComplexDiagonal || kind == BlockKind::kComplexDense;
    return {.result = PartRule::Result::kOwnRows,
            .kind = RowKind::kNodes,
            .gathers = {{0, RowKind::kNodes, inputs[0][0]},
                        {1, RowKind::kHalfEdges, is_complex ? 2 : 1}}};
  }

  template <class T>
  void forward_pass(const Call<T>& call) const {
    kernels::sheaf_diffusion(call.executor, diffusion(call), call.inputs[0], call.outputs[0]);
  }
  /// If only x has a gradient, it is the forward operator again.
  template <class T>
  void backward_pass(const Call<T>& call) const {
    const bool has_charge_grad = call.input_grads.size() > 3 && call.input_grads[3] != nullptr;
    if (call.input_grads[1] == nullptr && call.input_grads[2] == nullptr && !has_charge_grad) {
      return kernels::sheaf_diffusion(call.executor, diffusion(call), call.grads[0],
                                      call.input_grads[0]);
    }
    const GradPlace<T> x(call, 0), scaled(call, 1), diagonal(call, 2);
    kernels::sheaf_diffusion_backward<T>(call.executor, diffusion(call), call.inputs[0],
                                         call.grads[0], x, scaled, diagonal,
                                         has_charge_grad ? call.input_grads[3] : nullptr);
  }

 private:
  /// The shapes of G and N tell the kind of block: [2m, d] and [n, d], [2m, d, d] and [n, d, d],
  /// [2, 2m, d] and [n, d], [2, 2m, d, d] and [2, n, d, d].
  static BlockKind kind_of(const Shapes& inputs) {
    if (inputs[1].size() == 2) return BlockKind::kDiagonal;
    if (inputs[1].size() == 4) return BlockKind::kComplexDense;
    return inputs[2].size() == 2 ? BlockKind::kComplexDiagonal : BlockKind::kDense;
  }

  BlockKind checked_kind(const Checks& checks, const Shapes& inputs) const {
    const Shape &scaled = inputs[1], &diagonal = inputs[2];
    const std::int64_t n = graph_.directed().num_nodes();
    const std::int64_t count = graph_.directed().num_half_edges();
    const std::int64_t d = scaled.size() > 1 ? scaled.back() : 0;
    const auto fits = [&](const Shape& scaled_shape, const Shape& diagonal_shape) {
      return d > 0 && scaled == scaled_shape && diagonal == diagonal_shape;
    };
    if (fits({count, d}, {n, d}) || fits({count, d, d}, {n, d, d}) || fits({2, count, d}, {n, d}) ||
        fits({2, count, d, d}, {2, n, d, d})) {
      return kind_of(inputs);
    }
    checks.fail(
        fmt::format("scaled and diagonal must be results of scaled_maps on this graph of {} "
                    "nodes and {} half-edges (got shapes {} and {})",
                    n, count, shape_text(scaled), shape_text(diagonal)));
  }

  static void check_charge(const Checks& checks, const Shapes& inputs, bool is_complex) {
    const Shape &x = inputs[0], &charge = inputs[3];
    if (num_numbers(charge) != 1) {
      checks.fail(fmt::format("charge must be a single value (got shape {})", shape_text(charge)));
    }
    if (is_complex) checks.fail("charge must be omitted, because scaled is complex");
    if (x[0] != 2) {
      checks.fail(fmt::format("x must have 2 planes, because a charge is given (got shape {})",
                              shape_text(x)));
    }
  }

  template <class T>
  kernels::Diffusion<T> diffusion(const Call<T>& call) const {
    const Shape& x = call.shapes[0];
    kernels::Diffusion<T> op;
    op.graph = kernels::HalfEdges(graph_.directed());
    op.kind = kind_of(call.shapes);
    op.dim = x[2];
    op.planes = x[0];
    op.channels = x[3];
    op.num_fixed = num_fixed_;
    const bool has_charge = call.inputs.size() > 3 && call.inputs[3] != nullptr;
    if (call.executor.gpu() != nullptr) {
      op.charge_on_gpu = call.inputs.size() > 3 ? call.inputs[3] : nullptr;
    } else {
      op.charge = has_charge ? static_cast<double>(*call.inputs[3]) : 0;
    }
    op.maps = call.inputs[1];
    op.diagonal = call.inputs[2];
    return op;
  }

  Graph graph_;
  std::int64_t num_fixed_;
};

}  // namespace

OperatorPtr scaled_diffusion_operator(Graph graph, std::int64_t num_fixed) {
  return std::make_shared<ScaledDiffusion>(std::move(graph), num_fixed);
}
Value scaled_diffusion(Value x, Value scaled, Value diagonal, const Operand& charge,
                       const Graph& graph, std::int64_t num_fixed) {
  return x.program().apply_one(scaled_diffusion_operator(graph, num_fixed),
                               {x, scaled, diagonal, charge});
}

Value sheaf_diffusion(Value x, Value maps, const Operand& edge_weights, const Operand& charge,
                      const Graph& graph, const DiffusionOptions& options) {
  const auto [scaled, diagonal] = scaled_maps(maps, edge_weights, graph, options);
  return scaled_diffusion(x, scaled, diagonal, charge, graph);
}

}  // namespace dsnn::engine
