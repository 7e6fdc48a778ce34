#include "dsnn/ops/sheaf_diffusion.h"

#include "kernels/sheaf_diffusion.h"
#include "ops/autograd.h"
#include "ops/checks.h"
#include "ops/options.h"
#include "ops/sheaf_arguments.h"
#include "ops/torch_executor.h"

#include <ATen/Dispatch.h>
#include <ATen/Functions.h>
#include <torch/csrc/autograd/custom_function.h>

#include <fmt/format.h>

#include <string>
#include <tuple>

namespace dsnn::ops {
namespace {

using kernels::BlockKind;
using FourTensors = std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor>;

/// The shapes of G and N tell the kind of block: [2m, d] and [n, d], [2m, d, d] and [n, d, d],
/// [2, 2m, d] and [n, d], [2, 2m, d, d] and [2, n, d, d].
BlockKind check_blocks(const Checks& checks, const at::Tensor& scaled, const at::Tensor& diagonal,
                       const GraphHolder& graph) {
  checks.real("scaled", scaled);
  checks.like("diagonal", diagonal, "scaled", scaled);
  const std::int64_t n = graph.num_nodes();
  const std::int64_t count = graph.num_half_edges();
  const std::int64_t d = scaled.dim() > 1 ? scaled.size(-1) : 0;
  const auto fits = [&](at::IntArrayRef scaled_shape, at::IntArrayRef diagonal_shape) {
    return d > 0 && scaled.sizes() == scaled_shape && diagonal.sizes() == diagonal_shape;
  };
  if (fits({count, d}, {n, d})) return BlockKind::kDiagonal;
  if (fits({count, d, d}, {n, d, d})) return BlockKind::kDense;
  if (fits({2, count, d}, {n, d})) return BlockKind::kComplexDiagonal;
  if (fits({2, count, d, d}, {2, n, d, d})) return BlockKind::kComplexDense;
  checks.fail(
      fmt::format("scaled and diagonal must be a result of scaled_maps on this graph of {} "
                  "nodes and {} half-edges (got shapes {} and {})",
                  n, count, shape_text(scaled.sizes()), shape_text(diagonal.sizes())));
}

/// Checks the arguments and describes them to the kernel.
template <class T>
kernels::Diffusion<T> diffusion(const Checks& checks, const at::Tensor& x, const at::Tensor& scaled,
                                const at::Tensor& diagonal, const at::Tensor& charge,
                                const GraphHolder& graph) {
  kernels::Diffusion<T> op;
  op.graph = graph.half_edges();
  op.kind = check_blocks(checks, scaled, diagonal, graph);
  op.dim = scaled.size(-1);
  const bool is_complex =
      op.kind == BlockKind::kComplexDiagonal || op.kind == BlockKind::kComplexDense;
  check_features(checks, x, charge, "scaled", scaled, is_complex, op.dim, graph);
  op.planes = x.size(0);
  op.channels = x.size(3);
  op.charge = charge_value(charge);
  op.maps = scaled.data_ptr<T>();
  op.diagonal = diagonal.data_ptr<T>();
  return op;
}

at::Tensor forward(const at::Tensor& x, const at::Tensor& scaled, const at::Tensor& diagonal,
                   const MaybeTensor& charge, const GraphPtr& graph) {
  const Checks checks("scaled_diffusion");
  checks.real("x", x);
  at::Tensor y;
  const at::Tensor in = x.contiguous();
  const at::Tensor g = scaled.contiguous();
  const at::Tensor n = diagonal.contiguous();
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "scaled_diffusion", [&] {
    check_blocks(checks, scaled, diagonal, *graph);
    checks.like("scaled", scaled, "x", x);
    const auto op = diffusion<scalar_t>(checks, in, g, n, or_undefined(charge), *graph);
    y = at::empty_like(in);
    kernels::sheaf_diffusion(torch_executor(), op, in.data_ptr<scalar_t>(), y.data_ptr<scalar_t>());
  });
  return y;
}

FourTensors backward(const at::Tensor& x, const at::Tensor& scaled, const at::Tensor& diagonal,
                     const MaybeTensor& charge, const at::Tensor& grad, const GraphPtr& graph) {
  const Checks checks("scaled_diffusion_backward");
  checks.real("x", x);
  checks.like("grad", grad, "x", x);
  checks.shape("grad", grad, x.sizes());
  const at::Tensor in = x.contiguous();
  const at::Tensor g = scaled.contiguous();
  const at::Tensor n = diagonal.contiguous();
  const at::Tensor out = grad.contiguous();
  at::Tensor grad_x, grad_scaled, grad_diagonal, grad_charge;
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "scaled_diffusion_backward", [&] {
    checks.like("scaled", scaled, "x", x);
    const auto op = diffusion<scalar_t>(checks, in, g, n, or_undefined(charge), *graph);
    grad_x = at::empty_like(in);
    grad_scaled = at::empty_like(g);
    grad_diagonal = at::empty_like(n);
    grad_charge = at::zeros({}, in.options());
    kernels::sheaf_diffusion_backward(
        torch_executor(), op, in.data_ptr<scalar_t>(), out.data_ptr<scalar_t>(),
        grad_x.data_ptr<scalar_t>(), grad_scaled.data_ptr<scalar_t>(),
        grad_diagonal.data_ptr<scalar_t>(), grad_charge.data_ptr<scalar_t>());
  });
  if (charge.has_value()) {
    grad_charge = grad_charge.to(charge->scalar_type()).view(charge->sizes());
  }
  return {grad_x, grad_scaled, grad_diagonal, grad_charge};
}

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// Keeps the arguments. Where only x has a gradient, that is the forward operator again.
class DiffusionFunction : public torch::autograd::Function<DiffusionFunction> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& scaled,
                            const at::Tensor& diagonal, const MaybeTensor& charge,
                            const GraphPtr& graph) {
    const bool has_sheaf_gradient = scaled.requires_grad() || diagonal.requires_grad() ||
                                    (charge.has_value() && charge->requires_grad());
    const at::AutoDispatchBelowADInplaceOrView below_autograd;
    context->save_for_backward({x, scaled, diagonal, or_undefined(charge)});
    context->saved_data["graph"] = graph;
    context->saved_data["has_sheaf_gradient"] = has_sheaf_gradient;
    return call_op<decltype(ops::forward)>("dsnn::scaled_diffusion", x, scaled, diagonal, charge,
                                           graph);
  }

  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    const variable_list saved = context->get_saved_variables();
    const auto graph = context->saved_data["graph"].toCustomClass<GraphHolder>();
    if (!context->saved_data["has_sheaf_gradient"].toBool()) {
      const at::Tensor grad_x = call_op<decltype(ops::forward)>(
          "dsnn::scaled_diffusion", grads[0], saved[1], saved[2], maybe(saved[3]), graph);
      return {grad_x, at::Tensor(), at::Tensor(), at::Tensor(), at::Tensor()};
    }
    const auto [grad_x, grad_scaled, grad_diagonal, grad_charge] =
        call_op<decltype(ops::backward)>("dsnn::scaled_diffusion_backward", saved[0], saved[1],
                                         saved[2], maybe(saved[3]), grads[0], graph);
    return {grad_x, grad_scaled, grad_diagonal, saved[3].defined() ? grad_charge : at::Tensor(),
            at::Tensor()};
  }
};

at::Tensor with_autograd(const at::Tensor& x, const at::Tensor& scaled, const at::Tensor& diagonal,
                         const MaybeTensor& charge, const GraphPtr& graph) {
  return DiffusionFunction::apply(x, scaled, diagonal, charge, graph);
}

at::Tensor composed(const at::Tensor& x, const at::Tensor& maps, const MaybeTensor& edge_weights,
                    const MaybeTensor& charge, const GraphPtr& graph, c10::string_view family,
                    c10::string_view normalisation, bool low_pass, bool high_pass) {
  // All mistakes are found here, so that they bear the name of the operator that was called.
  const Checks checks("sheaf_diffusion");
  const DiffusionOptions options =
      diffusion_options(checks, family, normalisation, low_pass, high_pass);
  const MapsShape shape =
      check_maps(checks, maps, or_undefined(edge_weights), *graph, options.family);
  check_features(checks, x, or_undefined(charge), "maps", maps, shape.is_complex,
                 shape.dim + options.fixed.count(), *graph);
  const auto [scaled, diagonal] =
      scaled_maps(maps, or_undefined(edge_weights), graph->graph, options);
  return scaled_diffusion(x, scaled, diagonal, or_undefined(charge), graph->graph);
}

TORCH_LIBRARY_IMPL(dsnn, CompositeExplicitAutograd, m) {
  m.impl("scaled_diffusion", forward);
  m.impl("scaled_diffusion_backward", backward);
}

TORCH_LIBRARY_IMPL(dsnn, CompositeImplicitAutograd, m) { m.impl("sheaf_diffusion", composed); }

TORCH_LIBRARY_IMPL(dsnn, Autograd, m) {
  m.impl("scaled_diffusion", with_autograd);
  m.impl("scaled_diffusion_backward",
         torch::CppFunction::makeFromBoxedFunction<&refuse_double_backward>());
}

}  // namespace

at::Tensor scaled_diffusion(const at::Tensor& x, const at::Tensor& scaled,
                            const at::Tensor& diagonal, const at::Tensor& charge,
                            const Graph& graph) {
  return call_op<decltype(forward)>("dsnn::scaled_diffusion", x, scaled, diagonal, maybe(charge),
                                    c10::make_intrusive<GraphHolder>(graph));
}

at::Tensor sheaf_diffusion(const at::Tensor& x, const at::Tensor& maps,
                           const at::Tensor& edge_weights, const at::Tensor& charge,
                           const Graph& graph, const DiffusionOptions& options) {
  return call_op<decltype(composed)>(
      "dsnn::sheaf_diffusion", x, maps, maybe(edge_weights), maybe(charge),
      c10::make_intrusive<GraphHolder>(graph), std::string(name_of(options.family)),
      std::string(name_of(options.normalisation)), options.fixed.low_pass, options.fixed.high_pass);
}

}  // namespace dsnn::ops
