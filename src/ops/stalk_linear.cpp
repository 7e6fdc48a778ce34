#include "kernels/stalk_linear.h"

#include "dsnn/ops/linear.h"

#include "ops/autograd.h"
#include "ops/checks.h"
#include "ops/dropout.h"
#include "ops/optional.h"
#include "ops/torch_executor.h"

#include <ATen/Dispatch.h>
#include <ATen/Functions.h>
#include <torch/csrc/autograd/custom_function.h>

#include <string_view>
#include <tuple>

namespace dsnn::ops {
namespace {

using ThreeTensors = std::tuple<at::Tensor, at::Tensor, at::Tensor>;

/// The arguments as the kernel takes them.
struct Arguments {
  kernels::StalkShape shape;
  at::Tensor x, left, right;  // contiguous; the weights undefined or there
  bool is_per_plane = false;

  template <class T>
  kernels::StalkWeights<T> weights() const {
    return {data_or_null<T>(left), data_or_null<T>(right), is_per_plane};
  }
};

at::Tensor checked_weight(const Checks& checks, std::string_view name, const at::Tensor& x,
                          const OptionalTensor& weight, std::int64_t size) {
  if (!weight.has_value() || !weight->defined()) return {};
  checks.like(name, *weight, "x", x);
  if (weight->dim() == 3) {
    checks.shape(name, *weight, {x.size(0), size, size});
  } else {
    checks.shape(name, *weight, {size, size});
  }
  return weight->contiguous();
}

Arguments checked(const Checks& checks, const at::Tensor& x, const OptionalTensor& left,
                  const OptionalTensor& right) {
  checks.real("x", x);
  checks.planes("x", x, {-1, -1, -1});
  Arguments arguments;
  arguments.shape = {x.size(0), x.size(1), x.size(2), x.size(3)};
  arguments.x = x.contiguous();
  arguments.left = checked_weight(checks, "left", x, left, x.size(2));
  arguments.right = checked_weight(checks, "right", x, right, x.size(3));
  const auto dim = [](const at::Tensor& weight) { return weight.defined() ? weight.dim() : 0; };
  if (dim(arguments.left) * dim(arguments.right) == 6) {
    checks.fail("left and right must both have a weight for each plane, or both one for all");
  }
  arguments.is_per_plane = dim(arguments.left) == 3 || dim(arguments.right) == 3;
  return arguments;
}

at::Tensor stalk_forward(const at::Tensor& x, const OptionalTensor& left,
                         const OptionalTensor& right, double probability, std::int64_t seed,
                         bool merged_planes) {
  const Checks checks("stalk_linear");
  const Arguments arguments = checked(checks, x, left, right);
  const kernels::Dropout dropout = checked_dropout(checks, x, probability, seed, merged_planes);
  at::Tensor y = at::empty(x.sizes(), x.options());
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "stalk_linear", [&] {
    kernels::stalk_linear(torch_executor(), arguments.shape, arguments.weights<scalar_t>(), dropout,
                          arguments.x.data_ptr<scalar_t>(), y.data_ptr<scalar_t>());
  });
  return y;
}

ThreeTensors stalk_backward(const at::Tensor& x, const OptionalTensor& left,
                            const OptionalTensor& right, const at::Tensor& grad, double probability,
                            std::int64_t seed, bool merged_planes) {
  const Checks checks("stalk_linear_backward");
  const Arguments arguments = checked(checks, x, left, right);
  const kernels::Dropout dropout = checked_dropout(checks, x, probability, seed, merged_planes);
  checks.like("grad", grad, "x", x);
  checks.shape("grad", grad, x.sizes());
  const at::Tensor g = grad.contiguous();
  const auto empty_like = [](const at::Tensor& weight) {
    return weight.defined() ? at::empty(weight.sizes(), weight.options()) : at::Tensor();
  };
  const at::Tensor grad_x = empty_like(arguments.x);
  const at::Tensor grad_left = empty_like(arguments.left);
  const at::Tensor grad_right = empty_like(arguments.right);
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "stalk_linear_backward", [&] {
    kernels::stalk_linear_backward(
        torch_executor(), arguments.shape, arguments.weights<scalar_t>(), dropout,
        arguments.x.data_ptr<scalar_t>(), g.data_ptr<scalar_t>(), grad_x.data_ptr<scalar_t>(),
        data_or_null<scalar_t>(grad_left), data_or_null<scalar_t>(grad_right));
  });
  return {grad_x, grad_left, grad_right};
}

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

class StalkLinearFunction : public torch::autograd::Function<StalkLinearFunction> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x,
                            const OptionalTensor& left, const OptionalTensor& right,
                            double probability, std::int64_t seed, bool merged_planes) {
    const at::AutoDispatchBelowADInplaceOrView below_autograd;
    context->save_for_backward({x, left.value_or(at::Tensor()), right.value_or(at::Tensor())});
    context->saved_data["probability"] = probability;
    context->saved_data["seed"] = seed;
    context->saved_data["merged_planes"] = merged_planes;
    return call_op<decltype(stalk_forward)>("dsnn::stalk_linear", x, left, right, probability, seed,
                                            merged_planes);
  }

  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    const variable_list saved = context->get_saved_variables();
    const auto [grad_x, grad_left, grad_right] = call_op<decltype(stalk_backward)>(
        "dsnn::stalk_linear_backward", saved[0], OptionalTensor(saved[1]), OptionalTensor(saved[2]),
        grads[0], context->saved_data["probability"].toDouble(),
        context->saved_data["seed"].toInt(), context->saved_data["merged_planes"].toBool());
    return {grad_x, grad_left, grad_right, at::Tensor(), at::Tensor(), at::Tensor()};
  }
};

at::Tensor stalk_autograd(const at::Tensor& x, const OptionalTensor& left,
                          const OptionalTensor& right, double probability, std::int64_t seed,
                          bool merged_planes) {
  return StalkLinearFunction::apply(x, left, right, probability, seed, merged_planes);
}

TORCH_LIBRARY_IMPL(dsnn, CompositeExplicitAutograd, m) {
  m.impl("stalk_linear", stalk_forward);
  m.impl("stalk_linear_backward", stalk_backward);
}

TORCH_LIBRARY_IMPL(dsnn, Autograd, m) {
  m.impl("stalk_linear", stalk_autograd);
  m.impl("stalk_linear_backward",
         torch::CppFunction::makeFromBoxedFunction<&refuse_double_backward>());
}

}  // namespace

at::Tensor stalk_linear(const at::Tensor& x, const at::Tensor& left, const at::Tensor& right,
                        const DropoutOptions& dropout) {
  return call_op<decltype(stalk_forward)>("dsnn::stalk_linear", x, optional_of(left),
                                          optional_of(right), dropout.probability, dropout.seed,
                                          dropout.merged_planes);
}

}  // namespace dsnn::ops
