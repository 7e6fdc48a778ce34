#include "dsnn/ops/stalk_update.h"

#include "kernels/stalk_update.h"
#include "ops/autograd.h"
#include "ops/checks.h"
#include "ops/options.h"
#include "ops/torch_executor.h"

#include <ATen/Dispatch.h>
#include <ATen/Functions.h>
#include <torch/csrc/autograd/custom_function.h>

#include <string>
#include <tuple>

namespace dsnn::ops {
namespace {

using ThreeTensors = std::tuple<at::Tensor, at::Tensor, at::Tensor>;

kernels::StalkShape checked_shape(const Checks& checks, const at::Tensor& x, const at::Tensor& y,
                                  const at::Tensor& eps) {
  checks.real("x", x);
  checks.planes("x", x, {-1, -1, -1});
  checks.like("y", y, "x", x);
  checks.shape("y", y, x.sizes());
  checks.like("eps", eps, "x", x);
  checks.shape("eps", eps, {x.size(2)});
  return {x.size(0), x.size(1), x.size(2), x.size(3)};
}

at::Tensor update_forward(const at::Tensor& x, const at::Tensor& y, const at::Tensor& eps,
                          c10::string_view activation) {
  const Checks checks("stalk_update");
  const StalkActivation act = stalk_activation(checks, {activation.data(), activation.size()});
  const kernels::StalkShape shape = checked_shape(checks, x, y, eps);
  const at::Tensor xs = x.contiguous();
  const at::Tensor ys = y.contiguous();
  const at::Tensor e = eps.contiguous();
  at::Tensor out = at::empty(x.sizes(), x.options());
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "stalk_update", [&] {
    kernels::stalk_update(torch_executor(), shape, act, xs.data_ptr<scalar_t>(),
                          ys.data_ptr<scalar_t>(), e.data_ptr<scalar_t>(),
                          out.data_ptr<scalar_t>());
  });
  return out;
}

ThreeTensors update_backward(const at::Tensor& x, const at::Tensor& y, const at::Tensor& eps,
                             const at::Tensor& grad, c10::string_view activation) {
  const Checks checks("stalk_update_backward");
  const StalkActivation act = stalk_activation(checks, {activation.data(), activation.size()});
  const kernels::StalkShape shape = checked_shape(checks, x, y, eps);
  checks.like("grad", grad, "x", x);
  checks.shape("grad", grad, x.sizes());
  const at::Tensor xs = x.contiguous();
  const at::Tensor ys = y.contiguous();
  const at::Tensor e = eps.contiguous();
  const at::Tensor g = grad.contiguous();
  at::Tensor grad_x = at::empty(x.sizes(), x.options());
  at::Tensor grad_y = at::empty(x.sizes(), x.options());
  at::Tensor grad_eps = at::empty(eps.sizes(), eps.options());
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "stalk_update_backward", [&] {
    kernels::stalk_update_backward(torch_executor(), shape, act, xs.data_ptr<scalar_t>(),
                                   ys.data_ptr<scalar_t>(), e.data_ptr<scalar_t>(),
                                   g.data_ptr<scalar_t>(), grad_x.data_ptr<scalar_t>(),
                                   grad_y.data_ptr<scalar_t>(), grad_eps.data_ptr<scalar_t>());
  });
  return {grad_x, grad_y, grad_eps};
}

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

class UpdateFunction : public torch::autograd::Function<UpdateFunction> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& y,
                            const at::Tensor& eps, const std::string& activation) {
    const at::AutoDispatchBelowADInplaceOrView below_autograd;
    context->save_for_backward({x, y, eps});
    context->saved_data["activation"] = activation;
    return call_op<decltype(update_forward)>("dsnn::stalk_update", x, y, eps, activation);
  }

  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    const variable_list saved = context->get_saved_variables();
    const auto [grad_x, grad_y, grad_eps] = call_op<decltype(update_backward)>(
        "dsnn::stalk_update_backward", saved[0], saved[1], saved[2], grads[0],
        context->saved_data["activation"].toStringRef());
    return {grad_x, grad_y, grad_eps, at::Tensor()};
  }
};

at::Tensor update_autograd(const at::Tensor& x, const at::Tensor& y, const at::Tensor& eps,
                           c10::string_view activation) {
  return UpdateFunction::apply(x, y, eps, std::string(activation.data(), activation.size()));
}

TORCH_LIBRARY_IMPL(dsnn, CompositeExplicitAutograd, m) {
  m.impl("stalk_update", update_forward);
  m.impl("stalk_update_backward", update_backward);
}

TORCH_LIBRARY_IMPL(dsnn, Autograd, m) {
  m.impl("stalk_update", update_autograd);
  m.impl("stalk_update_backward",
         torch::CppFunction::makeFromBoxedFunction<&refuse_double_backward>());
}

}  // namespace

at::Tensor stalk_update(const at::Tensor& x, const at::Tensor& y, const at::Tensor& eps,
                        StalkActivation activation) {
  const std::string_view name = name_of(activation);
  return call_op<decltype(update_forward)>("dsnn::stalk_update", x, y, eps,
                                           c10::string_view(name.data(), name.size()));
}

}  // namespace dsnn::ops
