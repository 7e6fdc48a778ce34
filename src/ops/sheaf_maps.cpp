#include "dsnn/ops/sheaf_maps.h"

#include "kernels/sheaf_maps.h"
#include "ops/autograd.h"
#include "ops/checks.h"
#include "ops/graph_holder.h"
#include "ops/options.h"
#include "ops/torch_executor.h"

#include <ATen/Dispatch.h>
#include <ATen/Functions.h>
#include <torch/csrc/autograd/custom_function.h>

#include <string>
#include <tuple>

namespace dsnn::ops {
namespace {

using TwoTensors = std::tuple<at::Tensor, at::Tensor>;

at::Tensor maps_forward(const at::Tensor& left, const at::Tensor& right, const GraphPtr& graph,
                        c10::string_view activation) {
  const Checks checks("sheaf_maps");
  const MapActivation act = map_activation(checks, {activation.data(), activation.size()});
  checks.real("left", left);
  checks.shape("left", left, {graph->num_nodes(), -1});
  checks.like("right", right, "left", left);
  checks.shape("right", right, left.sizes());
  const at::Tensor l = left.contiguous();
  const at::Tensor r = right.contiguous();
  at::Tensor params = at::empty({graph->num_half_edges(), left.size(1)}, left.options());
  AT_DISPATCH_FLOATING_TYPES(left.scalar_type(), "sheaf_maps", [&] {
    kernels::sheaf_maps(torch_executor(), graph->half_edges(), act, left.size(1),
                        l.data_ptr<scalar_t>(), r.data_ptr<scalar_t>(),
                        params.data_ptr<scalar_t>());
  });
  return params;
}

TwoTensors maps_backward(const at::Tensor& params, const at::Tensor& grad, const GraphPtr& graph,
                         c10::string_view activation) {
  const Checks checks("sheaf_maps_backward");
  const MapActivation act = map_activation(checks, {activation.data(), activation.size()});
  checks.real("params", params);
  checks.shape("params", params, {graph->num_half_edges(), -1});
  checks.like("grad", grad, "params", params);
  checks.shape("grad", grad, params.sizes());
  const at::Tensor p = params.contiguous();
  const at::Tensor g = grad.contiguous();
  at::Tensor grad_left = at::empty({graph->num_nodes(), params.size(1)}, params.options());
  at::Tensor grad_right = at::empty_like(grad_left);
  AT_DISPATCH_FLOATING_TYPES(params.scalar_type(), "sheaf_maps_backward", [&] {
    kernels::sheaf_maps_backward(torch_executor(), graph->half_edges(), act, params.size(1),
                                 p.data_ptr<scalar_t>(), g.data_ptr<scalar_t>(),
                                 grad_left.data_ptr<scalar_t>(), grad_right.data_ptr<scalar_t>());
  });
  return {grad_left, grad_right};
}

at::Tensor weights_forward(const at::Tensor& left, const at::Tensor& right, const GraphPtr& graph) {
  const Checks checks("edge_weights");
  checks.real("left", left);
  checks.shape("left", left, {graph->num_nodes()});
  checks.like("right", right, "left", left);
  checks.shape("right", right, left.sizes());
  const at::Tensor l = left.contiguous();
  const at::Tensor r = right.contiguous();
  at::Tensor weights = at::empty({graph->num_half_edges()}, left.options());
  AT_DISPATCH_FLOATING_TYPES(left.scalar_type(), "edge_weights", [&] {
    kernels::edge_weights(torch_executor(), graph->half_edges(), l.data_ptr<scalar_t>(),
                          r.data_ptr<scalar_t>(), weights.data_ptr<scalar_t>());
  });
  return weights;
}

TwoTensors weights_backward(const at::Tensor& left, const at::Tensor& right, const at::Tensor& grad,
                            const GraphPtr& graph) {
  const Checks checks("edge_weights_backward");
  checks.real("left", left);
  checks.shape("left", left, {graph->num_nodes()});
  checks.like("right", right, "left", left);
  checks.shape("right", right, left.sizes());
  checks.like("grad", grad, "left", left);
  checks.shape("grad", grad, {graph->num_half_edges()});
  const at::Tensor l = left.contiguous();
  const at::Tensor r = right.contiguous();
  const at::Tensor g = grad.contiguous();
  at::Tensor grad_left = at::empty_like(l);
  at::Tensor grad_right = at::empty_like(l);
  AT_DISPATCH_FLOATING_TYPES(left.scalar_type(), "edge_weights_backward", [&] {
    kernels::edge_weights_backward(torch_executor(), graph->half_edges(), l.data_ptr<scalar_t>(),
                                   r.data_ptr<scalar_t>(), g.data_ptr<scalar_t>(),
                                   grad_left.data_ptr<scalar_t>(), grad_right.data_ptr<scalar_t>());
  });
  return {grad_left, grad_right};
}

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// Keeps the result: act' is a function of act's value, so the sums need not be kept.
class MapsFunction : public torch::autograd::Function<MapsFunction> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& left,
                            const at::Tensor& right, const GraphPtr& graph,
                            const std::string& activation) {
    const at::AutoDispatchBelowADInplaceOrView below_autograd;
    at::Tensor params =
        call_op<decltype(maps_forward)>("dsnn::sheaf_maps", left, right, graph, activation);
    context->save_for_backward({params});
    context->saved_data["graph"] = graph;
    context->saved_data["activation"] = activation;
    return params;
  }

  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    const auto graph = context->saved_data["graph"].toCustomClass<GraphHolder>();
    const auto [grad_left, grad_right] = call_op<decltype(maps_backward)>(
        "dsnn::sheaf_maps_backward", context->get_saved_variables()[0], grads[0], graph,
        context->saved_data["activation"].toStringRef());
    return {grad_left, grad_right, at::Tensor(), at::Tensor()};
  }
};

class WeightsFunction : public torch::autograd::Function<WeightsFunction> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& left,
                            const at::Tensor& right, const GraphPtr& graph) {
    const at::AutoDispatchBelowADInplaceOrView below_autograd;
    context->save_for_backward({left, right});
    context->saved_data["graph"] = graph;
    return call_op<decltype(weights_forward)>("dsnn::edge_weights", left, right, graph);
  }

  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    const auto graph = context->saved_data["graph"].toCustomClass<GraphHolder>();
    const variable_list saved = context->get_saved_variables();
    const auto [grad_left, grad_right] = call_op<decltype(weights_backward)>(
        "dsnn::edge_weights_backward", saved[0], saved[1], grads[0], graph);
    return {grad_left, grad_right, at::Tensor()};
  }
};

at::Tensor maps_autograd(const at::Tensor& left, const at::Tensor& right, const GraphPtr& graph,
                         c10::string_view activation) {
  return MapsFunction::apply(left, right, graph, std::string(activation.data(), activation.size()));
}

at::Tensor weights_autograd(const at::Tensor& left, const at::Tensor& right,
                            const GraphPtr& graph) {
  return WeightsFunction::apply(left, right, graph);
}

TORCH_LIBRARY_IMPL(dsnn, CompositeExplicitAutograd, m) {
  m.impl("sheaf_maps", maps_forward);
  m.impl("sheaf_maps_backward", maps_backward);
  m.impl("edge_weights", weights_forward);
  m.impl("edge_weights_backward", weights_backward);
}

TORCH_LIBRARY_IMPL(dsnn, Autograd, m) {
  m.impl("sheaf_maps", maps_autograd);
  m.impl("edge_weights", weights_autograd);
  m.impl("sheaf_maps_backward",
         torch::CppFunction::makeFromBoxedFunction<&refuse_double_backward>());
  m.impl("edge_weights_backward",
         torch::CppFunction::makeFromBoxedFunction<&refuse_double_backward>());
}

}  // namespace

at::Tensor sheaf_maps(const at::Tensor& left, const at::Tensor& right, const Graph& graph,
                      MapActivation activation) {
  const std::string_view name = name_of(activation);
  return call_op<decltype(maps_forward)>("dsnn::sheaf_maps", left, right,
                                         c10::make_intrusive<GraphHolder>(graph),
                                         c10::string_view(name.data(), name.size()));
}

at::Tensor edge_weights(const at::Tensor& left, const at::Tensor& right, const Graph& graph) {
  return call_op<decltype(weights_forward)>("dsnn::edge_weights", left, right,
                                            c10::make_intrusive<GraphHolder>(graph));
}

}  // namespace dsnn::ops
