#include "dsnn/ops/orthogonal.h"

#include "kernels/orthogonal.h"
#include "ops/autograd.h"
#include "ops/checks.h"
#include "ops/options.h"
#include "ops/torch_executor.h"

#include <ATen/Dispatch.h>
#include <ATen/Functions.h>
#include <torch/csrc/autograd/custom_function.h>

#include <fmt/format.h>

#include <string>
#include <vector>

namespace dsnn::ops {
namespace {

constexpr std::int64_t kMaxDim = 1024;  // far beyond any stalk; sizes then fit into an int

/// What the arguments describe, or an error.
kernels::OrthogonalBatch checked_batch(const Checks& checks, const at::Tensor& params,
                                       std::int64_t dim, c10::string_view method_name) {
  kernels::OrthogonalBatch batch;
  batch.method = orthogonal_method(checks, {method_name.data(), method_name.size()});
  if (dim < 1 || dim > kMaxDim) {
    checks.fail(fmt::format("dim is {}, expected 1 to {}", dim, kMaxDim));
  }
  if (batch.method == OrthogonalMethod::kEuler && dim > 3) {
    checks.fail(fmt::format("dim is {}, expected 1 to 3 for euler", dim));
  }
  batch.dim = static_cast<int>(dim);
  checks.real("params", params);
  const std::int64_t p = num_orthogonal_params(batch.method, dim);
  batch.is_complex = params.dim() == 3;
  const bool fits = params.dim() == 2 || (batch.is_complex && params.size(0) == 2);
  if (!fits || params.size(-1) != p) {
    checks.fail(
        fmt::format("params must have shape [any, {}] or, complex, [2, any, {}] for {} with "
                    "dim {} (got {})",
                    p, p, name_of(batch.method), dim, shape_text(params.sizes())));
  }
  batch.count = params.size(-2);
  return batch;
}

/// [B, d, d] or [2, B, d, d]
std::vector<std::int64_t> result_shape(const kernels::OrthogonalBatch& batch) {
  std::vector<std::int64_t> shape = {batch.count, batch.dim, batch.dim};
  if (batch.is_complex) shape.insert(shape.begin(), 2);
  return shape;
}

at::Tensor orthogonal_forward(const at::Tensor& params, std::int64_t dim, c10::string_view method) {
  const kernels::OrthogonalBatch batch = checked_batch(Checks("orthogonal"), params, dim, method);
  const at::Tensor p = params.contiguous();
  at::Tensor result = at::empty(result_shape(batch), p.options());
  AT_DISPATCH_FLOATING_TYPES(p.scalar_type(), "orthogonal", [&] {
    kernels::orthogonal(torch_executor(), batch, p.data_ptr<scalar_t>(),
                        result.data_ptr<scalar_t>());
  });
  return result;
}

at::Tensor orthogonal_backward(const at::Tensor& params, const at::Tensor& grad, std::int64_t dim,
                               c10::string_view method) {
  const Checks checks("orthogonal_backward");
  const kernels::OrthogonalBatch batch = checked_batch(checks, params, dim, method);
  checks.like("grad", grad, "params", params);
  checks.shape("grad", grad, result_shape(batch));
  const at::Tensor p = params.contiguous();
  const at::Tensor g = grad.contiguous();
  at::Tensor grad_params = at::empty_like(p);
  AT_DISPATCH_FLOATING_TYPES(p.scalar_type(), "orthogonal_backward", [&] {
    kernels::orthogonal_backward(torch_executor(), batch, p.data_ptr<scalar_t>(),
                                 g.data_ptr<scalar_t>(), grad_params.data_ptr<scalar_t>());
  });
  return grad_params;
}

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

class OrthogonalFunction : public torch::autograd::Function<OrthogonalFunction> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& params, std::int64_t dim,
                            const std::string& method) {
    const at::AutoDispatchBelowADInplaceOrView below_autograd;
    context->save_for_backward({params});
    context->saved_data["dim"] = dim;
    context->saved_data["method"] = method;
    return call_op<decltype(orthogonal_forward)>("dsnn::orthogonal", params, dim, method);
  }

  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    const at::Tensor grad_params = call_op<decltype(orthogonal_backward)>(
        "dsnn::orthogonal_backward", context->get_saved_variables()[0], grads[0],
        context->saved_data["dim"].toInt(), context->saved_data["method"].toStringRef());
    return {grad_params, at::Tensor(), at::Tensor()};
  }
};

at::Tensor orthogonal_autograd(const at::Tensor& params, std::int64_t dim,
                               c10::string_view method) {
  return OrthogonalFunction::apply(params, dim, std::string(method.data(), method.size()));
}

TORCH_LIBRARY_IMPL(dsnn, CompositeExplicitAutograd, m) {
  m.impl("orthogonal", orthogonal_forward);
  m.impl("orthogonal_backward", orthogonal_backward);
}

TORCH_LIBRARY_IMPL(dsnn, Autograd, m) {
  m.impl("orthogonal", orthogonal_autograd);
  m.impl("orthogonal_backward",
         torch::CppFunction::makeFromBoxedFunction<&refuse_double_backward>());
}

}  // namespace

std::int64_t num_orthogonal_params(OrthogonalMethod method, std::int64_t dim) {
  return kernels::num_orthogonal_params(method, dim);
}

at::Tensor orthogonal(const at::Tensor& params, std::int64_t dim, OrthogonalMethod method) {
  const std::string_view name = name_of(method);
  return call_op<decltype(orthogonal_forward)>("dsnn::orthogonal", params, dim,
                                               c10::string_view(name.data(), name.size()));
}

}  // namespace dsnn::ops
