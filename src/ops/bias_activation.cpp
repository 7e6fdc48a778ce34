#include "kernels/bias_activation.h"

#include "dsnn/ops/linear.h"

#include "ops/autograd.h"
#include "ops/checks.h"
#include "ops/dropout.h"
#include "ops/optional.h"
#include "ops/options.h"
#include "ops/torch_executor.h"

#include <ATen/Dispatch.h>
#include <ATen/Functions.h>
#include <torch/csrc/autograd/custom_function.h>

#include <string>
#include <string_view>
#include <tuple>

namespace dsnn::ops {
namespace {

void check_arguments(const Checks& checks, const at::Tensor& x, const at::Tensor& bias) {
  checks.real("x", x);
  checks.shape("x", x, {-1, -1});
  if (!bias.defined()) return;
  checks.like("bias", bias, "x", x);
  checks.shape("bias", bias, {x.size(1)});
}

at::Tensor bias_forward(const at::Tensor& x, const OptionalTensor& bias,
                        c10::string_view activation, double probability, std::int64_t seed) {
  const Checks checks("bias_activation");
  const StalkActivation act = stalk_activation(checks, {activation.data(), activation.size()});
  const at::Tensor b = contiguous_of(bias);
  check_arguments(checks, x, b);
  const kernels::Dropout dropout = checked_dropout(checks, x, probability, seed, false);
  const at::Tensor xs = x.contiguous();
  at::Tensor y = at::empty(x.sizes(), x.options());
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "bias_activation", [&] {
    kernels::bias_activation(torch_executor(), x.size(0), x.size(1), act, dropout,
                             xs.data_ptr<scalar_t>(), data_or_null<scalar_t>(b),
                             y.data_ptr<scalar_t>());
  });
  return y;
}

std::tuple<at::Tensor, at::Tensor> bias_backward(const at::Tensor& x, const OptionalTensor& bias,
                                                 const at::Tensor& grad,
                                                 c10::string_view activation, double probability,
                                                 std::int64_t seed) {
  const Checks checks("bias_activation_backward");
  const StalkActivation act = stalk_activation(checks, {activation.data(), activation.size()});
  const at::Tensor b = contiguous_of(bias);
  check_arguments(checks, x, b);
  checks.like("grad", grad, "x", x);
  checks.shape("grad", grad, x.sizes());
  const kernels::Dropout dropout = checked_dropout(checks, x, probability, seed, false);
  const at::Tensor xs = x.contiguous();
  const at::Tensor g = grad.contiguous();
  at::Tensor grad_x = at::empty(x.sizes(), x.options());
  at::Tensor grad_bias = b.defined() ? at::empty(b.sizes(), b.options()) : at::Tensor();
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "bias_activation_backward", [&] {
    kernels::bias_activation_backward(torch_executor(), x.size(0), x.size(1), act, dropout,
                                      xs.data_ptr<scalar_t>(), data_or_null<scalar_t>(b),
                                      g.data_ptr<scalar_t>(), grad_x.data_ptr<scalar_t>(),
                                      data_or_null<scalar_t>(grad_bias));
  });
  return {grad_x, grad_bias};
}

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

class BiasFunction : public torch::autograd::Function<BiasFunction> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x,
                            const OptionalTensor& bias, const std::string& activation,
                            double probability, std::int64_t seed) {
    const at::AutoDispatchBelowADInplaceOrView below_autograd;
    context->save_for_backward({x, bias.value_or(at::Tensor())});
    context->saved_data["activation"] = activation;
    context->saved_data["probability"] = probability;
    context->saved_data["seed"] = seed;
    return call_op<decltype(bias_forward)>("dsnn::bias_activation", x, bias, activation,
                                           probability, seed);
  }

  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    const variable_list saved = context->get_saved_variables();
    const auto [grad_x, grad_bias] = call_op<decltype(bias_backward)>(
        "dsnn::bias_activation_backward", saved[0], OptionalTensor(saved[1]), grads[0],
        context->saved_data["activation"].toStringRef(),
        context->saved_data["probability"].toDouble(), context->saved_data["seed"].toInt());
    return {grad_x, grad_bias, at::Tensor(), at::Tensor(), at::Tensor()};
  }
};

at::Tensor bias_autograd(const at::Tensor& x, const OptionalTensor& bias,
                         c10::string_view activation, double probability, std::int64_t seed) {
  return BiasFunction::apply(x, bias, std::string(activation.data(), activation.size()),
                             probability, seed);
}

TORCH_LIBRARY_IMPL(dsnn, CompositeExplicitAutograd, m) {
  m.impl("bias_activation", bias_forward);
  m.impl("bias_activation_backward", bias_backward);
}

TORCH_LIBRARY_IMPL(dsnn, Autograd, m) {
  m.impl("bias_activation", bias_autograd);
  m.impl("bias_activation_backward",
         torch::CppFunction::makeFromBoxedFunction<&refuse_double_backward>());
}

}  // namespace

at::Tensor bias_activation(const at::Tensor& x, const at::Tensor& bias, StalkActivation activation,
                           const DropoutOptions& dropout) {
  const std::string_view name = name_of(activation);
  return call_op<decltype(bias_forward)>(
      "dsnn::bias_activation", x, bias.defined() ? OptionalTensor(bias) : c10::nullopt,
      c10::string_view(name.data(), name.size()), dropout.probability, dropout.seed);
}

}  // namespace dsnn::ops
