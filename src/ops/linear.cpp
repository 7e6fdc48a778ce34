#include "dsnn/ops/linear.h"

#include "kernels/linear.h"
#include "ops/autograd.h"
#include "ops/checks.h"
#include "ops/optional.h"
#include "ops/torch_executor.h"

#include <ATen/Dispatch.h>
#include <ATen/Functions.h>
#include <torch/csrc/autograd/custom_function.h>

#include <tuple>

namespace dsnn::ops {
namespace {

using ThreeTensors = std::tuple<at::Tensor, at::Tensor, at::Tensor>;

kernels::LinearShape checked_shape(const Checks& checks, const at::Tensor& x,
                                   const at::Tensor& weight) {
  checks.real("x", x);
  checks.like("weight", weight, "x", x);
  if (x.dim() == 2) {
    checks.shape("weight", weight, {x.size(1), -1});
    return {1, x.size(0), x.size(1), weight.size(1)};
  }
  checks.shape("x", x, {-1, -1, -1});
  checks.shape("weight", weight, {x.size(0), x.size(2), -1});
  return {x.size(0), x.size(1), x.size(2), weight.size(2)};
}

at::Tensor linear_forward(const at::Tensor& x, const at::Tensor& weight,
                          const OptionalTensor& bias) {
  const Checks checks("linear");
  const kernels::LinearShape shape = checked_shape(checks, x, weight);
  const at::Tensor b = contiguous_of(bias);
  if (b.defined()) {
    checks.like("bias", b, "x", x);
    checks.shape("bias", b, {shape.outputs});
  }
  const at::Tensor xs = x.contiguous();
  const at::Tensor w = weight.contiguous();
  at::Tensor y = at::empty({shape.rows, shape.outputs}, x.options());
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "linear", [&] {
    kernels::linear(torch_executor(), shape, xs.data_ptr<scalar_t>(), w.data_ptr<scalar_t>(),
                    data_or_null<scalar_t>(b), y.data_ptr<scalar_t>());
  });
  return y;
}

ThreeTensors linear_backward(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& grad,
                             bool needs_x, bool needs_weight, bool needs_bias) {
  const Checks checks("linear_backward");
  const kernels::LinearShape shape = checked_shape(checks, x, weight);
  checks.like("grad", grad, "x", x);
  checks.shape("grad", grad, {shape.rows, shape.outputs});
  const at::Tensor xs = x.contiguous();
  const at::Tensor w = weight.contiguous();
  const at::Tensor g = grad.contiguous();
  const auto empty = [&](bool is_needed, at::IntArrayRef sizes) {
    return is_needed ? at::empty(sizes, x.options()) : at::Tensor();
  };
  const at::Tensor grad_x = empty(needs_x, x.sizes());
  const at::Tensor grad_weight = empty(needs_weight, weight.sizes());
  const at::Tensor grad_bias = empty(needs_bias, {shape.outputs});
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "linear_backward", [&] {
    kernels::linear_backward(torch_executor(), shape, xs.data_ptr<scalar_t>(),
                             w.data_ptr<scalar_t>(), g.data_ptr<scalar_t>(),
                             data_or_null<scalar_t>(grad_x), data_or_null<scalar_t>(grad_weight),
                             data_or_null<scalar_t>(grad_bias));
  });
  return {grad_x, grad_weight, grad_bias};
}

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

class LinearFunction : public torch::autograd::Function<LinearFunction> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& weight,
                            const OptionalTensor& bias) {
    const at::AutoDispatchBelowADInplaceOrView below_autograd;
    context->save_for_backward({x, weight});
    context->saved_data["needs_x"] = x.requires_grad();
    context->saved_data["needs_weight"] = weight.requires_grad();
    context->saved_data["needs_bias"] = bias.has_value() && bias->requires_grad();
    return call_op<decltype(linear_forward)>("dsnn::linear", x, weight, bias);
  }

  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    const variable_list saved = context->get_saved_variables();
    const auto needs = [&](const char* name) { return context->saved_data[name].toBool(); };
    const auto [grad_x, grad_weight, grad_bias] = call_op<decltype(linear_backward)>(
        "dsnn::linear_backward", saved[0], saved[1], grads[0], needs("needs_x"),
        needs("needs_weight"), needs("needs_bias"));
    return {grad_x, grad_weight, grad_bias};
  }
};

at::Tensor linear_autograd(const at::Tensor& x, const at::Tensor& weight,
                           const OptionalTensor& bias) {
  return LinearFunction::apply(x, weight, bias);
}

TORCH_LIBRARY_IMPL(dsnn, CompositeExplicitAutograd, m) {
  m.impl("linear", linear_forward);
  m.impl("linear_backward", linear_backward);
}

TORCH_LIBRARY_IMPL(dsnn, Autograd, m) {
  m.impl("linear", linear_autograd);
  m.impl("linear_backward", torch::CppFunction::makeFromBoxedFunction<&refuse_double_backward>());
}

}  // namespace

at::Tensor linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
  return call_op<decltype(linear_forward)>("dsnn::linear", x, weight, optional_of(bias));
}

}  // namespace dsnn::ops
