#include "dsnn/ops/sparse.h"

#include "kernels/sparse.h"
#include "ops/autograd.h"
#include "ops/checks.h"
#include "ops/sparse_holder.h"
#include "ops/torch_executor.h"

#include <ATen/Dispatch.h>
#include <ATen/Functions.h>
#include <torch/csrc/autograd/custom_function.h>

#include <fmt/format.h>

#include <tuple>
#include <vector>

namespace dsnn::ops {
namespace {

using MaybeTensor = c10::optional<at::Tensor>;
using TwoTensors = std::tuple<at::Tensor, at::Tensor>;

enum class Side { kMatrix, kAdjoint };

/// A dense factor with this many rows, with or without planes.
void check_factor(const Checks& checks, const char* name, const at::Tensor& x, std::int64_t rows) {
  checks.real(name, x);
  if (x.dim() == 3) return checks.planes(name, x, {rows, -1});
  if (x.dim() != 2 || x.size(0) != rows) {
    checks.fail(fmt::format("{} must have shape {} or [1 or 2, {}, any] (got {})", name,
                            shape_text({rows, -1}), rows, shape_text(x.sizes())));
  }
}

void check_values(const Checks& checks, const at::Tensor& values, const char* factor_name,
                  const at::Tensor& factor, const SparseMatrix& matrix) {
  checks.like("values", values, factor_name, factor);
  if (values.dim() != 2) return checks.shape("values", values, {matrix.num_entries()});
  checks.shape("values", values, {2, matrix.num_entries()});
  if (factor.dim() != 3 || factor.size(0) != 2) {
    checks.fail(fmt::format("complex values of shape {} need {} in 2 planes (got {})",
                            shape_text(values.sizes()), factor_name, shape_text(factor.sizes())));
  }
}

kernels::SparseShape shape_of(const at::Tensor& x) {
  return {x.dim() == 3 ? x.size(0) : 1, x.size(-2), x.size(-1)};
}

/// A x or A* x, for all operators of this file and their gradients.
at::Tensor product(const SparseHolder& holder, Side side, const MaybeTensor& values,
                   const kernels::EntryDropout& dropout, const at::Tensor& x) {
  const bool is_adjoint = side == Side::kAdjoint;
  std::vector<std::int64_t> sizes = x.sizes().vec();
  sizes[sizes.size() - 2] = is_adjoint ? holder.num_cols() : holder.num_rows();
  at::Tensor y = at::empty(sizes, x.options());
  if (y.numel() == 0) return y;
  const at::Tensor z = x.contiguous();
  const at::Tensor v = values.has_value() ? values->contiguous() : at::Tensor();
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "spmm", [&] {
    kernels::SparseValues<scalar_t> entries;
    if (!holder.matrix.values().empty()) entries.fixed = holder.matrix.values().data();
    if (v.defined()) {
      entries.real = v.data_ptr<scalar_t>();
      if (v.dim() == 2) entries.imag = entries.real + v.size(1);
    }
    entries.conjugate = is_adjoint;
    entries.dropout = dropout;
    const auto* from = z.data_ptr<scalar_t>();
    auto* to = y.data_ptr<scalar_t>();
    if (is_adjoint) {
      kernels::spmm_adjoint(torch_executor(), holder.rows(), holder.columns(), entries, shape_of(x),
                            from, to);
    } else {
      kernels::spmm(torch_executor(), holder.rows(), entries, shape_of(x), from, to);
    }
  });
  return y;
}

at::Tensor spmm_forward(const MaybeTensor& values, const at::Tensor& x, const SparsePtr& matrix) {
  const Checks checks("spmm");
  check_factor(checks, "x", x, matrix->num_cols());
  if (values.has_value()) check_values(checks, *values, "x", x, matrix->matrix);
  return product(*matrix, Side::kMatrix, values, {}, x);
}

at::Tensor values_gradient(const at::Tensor& values, const at::Tensor& x, const at::Tensor& grad,
                           const SparseHolder& holder) {
  const at::Tensor z = x.contiguous();
  const at::Tensor g = grad.contiguous();
  at::Tensor grad_values = at::empty(values.sizes(), values.options());
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "spmm_backward", [&] {
    auto* real = grad_values.data_ptr<scalar_t>();
    kernels::spmm_values_backward(torch_executor(), holder.rows(), shape_of(x),
                                  z.data_ptr<scalar_t>(), g.data_ptr<scalar_t>(), real,
                                  values.dim() == 2 ? real + values.size(1) : nullptr);
  });
  return grad_values;
}

/// Gradients of values, if x is given, and of x, if asked for.
TwoTensors spmm_backward(const MaybeTensor& values, const MaybeTensor& x, const at::Tensor& grad,
                         const SparsePtr& matrix, bool needs_x) {
  const Checks checks("spmm_backward");
  check_factor(checks, "grad", grad, matrix->num_rows());
  if (values.has_value()) check_values(checks, *values, "grad", grad, matrix->matrix);
  TwoTensors gradients;
  if (x.has_value()) {
    if (!values.has_value()) checks.fail("x is given, but no values that need it");
    std::vector<std::int64_t> sizes = grad.sizes().vec();
    sizes[sizes.size() - 2] = matrix->num_cols();
    checks.like("x", *x, "grad", grad);
    checks.shape("x", *x, sizes);
    std::get<0>(gradients) = values_gradient(*values, *x, grad, *matrix);
  }
  if (needs_x) std::get<1>(gradients) = product(*matrix, Side::kAdjoint, values, {}, grad);
  return gradients;
}

kernels::EntryDropout checked_dropout(const Checks& checks, double dropout, std::int64_t seed) {
  if (!(dropout >= 0 && dropout < 1)) {
    checks.fail(fmt::format("dropout is {}, expected a number from 0 to below 1", dropout));
  }
  return {dropout, static_cast<std::uint64_t>(seed)};
}

at::Tensor linear_forward(const at::Tensor& weight, const SparsePtr& matrix, double dropout,
                          std::int64_t seed) {
  const Checks checks("sparse_linear");
  checks.real("weight", weight);
  checks.shape("weight", weight, {matrix->num_cols(), -1});
  return product(*matrix, Side::kMatrix, c10::nullopt, checked_dropout(checks, dropout, seed),
                 weight);
}

at::Tensor linear_backward(const at::Tensor& grad, const SparsePtr& matrix, double dropout,
                           std::int64_t seed) {
  const Checks checks("sparse_linear_backward");
  checks.real("grad", grad);
  checks.shape("grad", grad, {matrix->num_rows(), -1});
  return product(*matrix, Side::kAdjoint, c10::nullopt, checked_dropout(checks, dropout, seed),
                 grad);
}

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// Keeps x only if values are learned: with a fixed matrix it is free to go.
class SpmmFunction : public torch::autograd::Function<SpmmFunction> {
 public:
  static at::Tensor forward(AutogradContext* context, const MaybeTensor& values,
                            const at::Tensor& x, const SparsePtr& matrix) {
    const at::AutoDispatchBelowADInplaceOrView below_autograd;
    const bool needs_values = values.has_value() && values->requires_grad();
    context->save_for_backward({values.value_or(at::Tensor()), needs_values ? x : at::Tensor()});
    context->saved_data["matrix"] = matrix;
    context->saved_data["needs_x"] = x.requires_grad();
    return call_op<decltype(spmm_forward)>("dsnn::spmm", values, x, matrix);
  }

  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    const variable_list saved = context->get_saved_variables();
    const auto maybe = [](const at::Tensor& tensor) {
      return tensor.defined() ? MaybeTensor(tensor) : MaybeTensor();
    };
    const auto [grad_values, grad_x] = call_op<decltype(spmm_backward)>(
        "dsnn::spmm_backward", maybe(saved[0]), maybe(saved[1]), grads[0],
        context->saved_data["matrix"].toCustomClass<SparseHolder>(),
        context->saved_data["needs_x"].toBool());
    return {grad_values, grad_x, at::Tensor()};
  }
};

class LinearFunction : public torch::autograd::Function<LinearFunction> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& weight,
                            const SparsePtr& matrix, double dropout, std::int64_t seed) {
    const at::AutoDispatchBelowADInplaceOrView below_autograd;
    context->saved_data["matrix"] = matrix;
    context->saved_data["dropout"] = dropout;
    context->saved_data["seed"] = seed;
    return call_op<decltype(linear_forward)>("dsnn::sparse_linear", weight, matrix, dropout, seed);
  }

  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    auto& saved = context->saved_data;
    const at::Tensor grad_weight = call_op<decltype(linear_backward)>(
        "dsnn::sparse_linear_backward", grads[0], saved["matrix"].toCustomClass<SparseHolder>(),
        saved["dropout"].toDouble(), saved["seed"].toInt());
    return {grad_weight, at::Tensor(), at::Tensor(), at::Tensor()};
  }
};

at::Tensor spmm_autograd(const MaybeTensor& values, const at::Tensor& x, const SparsePtr& matrix) {
  return SpmmFunction::apply(values, x, matrix);
}

at::Tensor linear_autograd(const at::Tensor& weight, const SparsePtr& matrix, double dropout,
                           std::int64_t seed) {
  return LinearFunction::apply(weight, matrix, dropout, seed);
}

TORCH_LIBRARY_IMPL(dsnn, CompositeExplicitAutograd, m) {
  m.impl("spmm", spmm_forward);
  m.impl("spmm_backward", spmm_backward);
  m.impl("sparse_linear", linear_forward);
  m.impl("sparse_linear_backward", linear_backward);
}

TORCH_LIBRARY_IMPL(dsnn, Autograd, m) {
  m.impl("spmm", spmm_autograd);
  m.impl("sparse_linear", linear_autograd);
  m.impl("spmm_backward", torch::CppFunction::makeFromBoxedFunction<&refuse_double_backward>());
  m.impl("sparse_linear_backward",
         torch::CppFunction::makeFromBoxedFunction<&refuse_double_backward>());
}

at::Tensor call_spmm(const MaybeTensor& values, const at::Tensor& x, const SparseMatrix& matrix) {
  return call_op<decltype(spmm_forward)>("dsnn::spmm", values, x,
                                         c10::make_intrusive<SparseHolder>(matrix));
}

}  // namespace

at::Tensor spmm(const at::Tensor& x, const SparseMatrix& matrix) {
  return call_spmm(c10::nullopt, x, matrix);
}

at::Tensor spmm(const at::Tensor& values, const at::Tensor& x, const SparseMatrix& matrix) {
  return call_spmm(values, x, matrix);
}

at::Tensor sparse_linear(const at::Tensor& weight, const SparseMatrix& matrix,
                         const DropoutOptions& dropout) {
  return call_op<decltype(linear_forward)>("dsnn::sparse_linear", weight,
                                           c10::make_intrusive<SparseHolder>(matrix),
                                           dropout.probability, dropout.seed);
}

}  // namespace dsnn::ops
