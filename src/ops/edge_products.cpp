// edge_dot and edge_spmm: each is the gradient of the other.
#include "dsnn/ops/edges.h"

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

namespace dsnn::ops {
namespace {

using MaybeTensor = c10::optional<at::Tensor>;
using TwoTensors = std::tuple<at::Tensor, at::Tensor>;

/// A dense factor [rows, heads * any].
void check_factor(const Checks& checks, const char* name, const at::Tensor& x, std::int64_t rows,
                  std::int64_t heads) {
  checks.real(name, x);
  checks.shape(name, x, {rows, -1});
  if (heads < 1 || x.size(1) % heads != 0) {
    checks.fail(
        fmt::format("there are {} heads, expected a number that divides the {} columns of "
                    "{}",
                    heads, x.size(1), name));
  }
}

void check_values(const Checks& checks, const char* name, const at::Tensor& values,
                  const SparseHolder& holder, std::int64_t heads) {
  checks.real(name, values);
  checks.shape(name, values, {holder.num_entries(), heads});
}

kernels::SparseShape shape_of(const at::Tensor& x, std::int64_t heads) {
  return {1, x.size(0), x.size(1) / heads, heads};
}

/// x_u . y_v for every entry.
at::Tensor dots(const SparseHolder& holder, const at::Tensor& x, const at::Tensor& y,
                std::int64_t heads) {
  const at::Tensor left = x.contiguous();
  const at::Tensor right = y.contiguous();
  at::Tensor out = at::empty({holder.num_entries(), heads}, x.options());
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "edge_dot", [&] {
    kernels::spmm_values_backward<scalar_t>(torch_executor(), holder.rows(), shape_of(right, heads),
                                            right.data_ptr<scalar_t>(), left.data_ptr<scalar_t>(),
                                            out.data_ptr<scalar_t>(), nullptr);
  });
  return out;
}

/// sum_e values_e x_e over each of `rows`, those of the matrix or of its transpose.
at::Tensor product(const kernels::SparseRows& rows, const at::Tensor& values, const at::Tensor& x) {
  const at::Tensor v = values.contiguous();
  const at::Tensor z = x.contiguous();
  at::Tensor y = at::empty({rows.num_rows, x.size(1)}, x.options());
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "edge_spmm", [&] {
    kernels::SparseValues<scalar_t> entries;
    entries.real = v.data_ptr<scalar_t>();
    kernels::spmm(torch_executor(), rows, entries, shape_of(z, v.size(1)), z.data_ptr<scalar_t>(),
                  y.data_ptr<scalar_t>());
  });
  return y;
}

at::Tensor dot_forward(const at::Tensor& x, const at::Tensor& y, const SparsePtr& matrix,
                       std::int64_t heads) {
  const Checks checks("edge_dot");
  check_factor(checks, "x", x, matrix->num_rows(), heads);
  checks.like("y", y, "x", x);
  checks.shape("y", y, {matrix->num_cols(), x.size(1)});
  return dots(*matrix, x, y, heads);
}

/// The gradient of x, if y is given, and of y, if x is.
TwoTensors dot_backward(const MaybeTensor& x, const MaybeTensor& y, const at::Tensor& grad,
                        const SparsePtr& matrix, std::int64_t heads) {
  const Checks checks("edge_dot_backward");
  check_values(checks, "grad", grad, *matrix, heads);
  TwoTensors gradients;
  if (y.has_value()) {
    check_factor(checks, "y", *y, matrix->num_cols(), heads);
    checks.like("y", *y, "grad", grad);
    std::get<0>(gradients) = product(matrix->rows(), grad, *y);
  }
  if (x.has_value()) {
    check_factor(checks, "x", *x, matrix->num_rows(), heads);
    checks.like("x", *x, "grad", grad);
    std::get<1>(gradients) = product(matrix->columns(), grad, *x);
  }
  return gradients;
}

at::Tensor spmm_forward(const at::Tensor& values, const at::Tensor& x, const SparsePtr& matrix) {
  const Checks checks("edge_spmm");
  check_values(checks, "values", values, *matrix, -1);
  check_factor(checks, "x", x, matrix->num_cols(), values.size(1));
  checks.like("values", values, "x", x);
  return product(matrix->rows(), values, x);
}

/// The gradient of values, if x is given, and of x, if values are.
TwoTensors spmm_backward(const MaybeTensor& values, const MaybeTensor& x, const at::Tensor& grad,
                         const SparsePtr& matrix, std::int64_t heads) {
  const Checks checks("edge_spmm_backward");
  check_factor(checks, "grad", grad, matrix->num_rows(), heads);
  TwoTensors gradients;
  if (x.has_value()) {
    checks.like("x", *x, "grad", grad);
    checks.shape("x", *x, {matrix->num_cols(), grad.size(1)});
    std::get<0>(gradients) = dots(*matrix, grad, *x, heads);
  }
  if (values.has_value()) {
    check_values(checks, "values", *values, *matrix, heads);
    checks.like("values", *values, "grad", grad);
    std::get<1>(gradients) = product(matrix->columns(), *values, grad);
  }
  return gradients;
}

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// Of two factors, keeps each only if the other has a gradient, which needs it.
void save_factors(AutogradContext* context, const at::Tensor& a, const at::Tensor& b,
                  const SparsePtr& matrix, std::int64_t heads) {
  context->save_for_backward(
      {b.requires_grad() ? a : at::Tensor(), a.requires_grad() ? b : at::Tensor()});
  context->saved_data["matrix"] = matrix;
  context->saved_data["heads"] = heads;
}

/// `op` is the operator for both gradients, which takes what is saved above.
TwoTensors factor_gradients(const char* op, AutogradContext* context, const variable_list& grads) {
  const variable_list saved = context->get_saved_variables();
  const auto maybe = [](const at::Tensor& tensor) {
    return tensor.defined() ? MaybeTensor(tensor) : MaybeTensor();
  };
  return call_op<decltype(dot_backward)>(
      op, maybe(saved[0]), maybe(saved[1]), grads[0],
      context->saved_data["matrix"].toCustomClass<SparseHolder>(),
      context->saved_data["heads"].toInt());
}

class DotFunction : public torch::autograd::Function<DotFunction> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& y,
                            const SparsePtr& matrix, std::int64_t heads) {
    const at::AutoDispatchBelowADInplaceOrView below_autograd;
    save_factors(context, x, y, matrix, heads);
    return call_op<decltype(dot_forward)>("dsnn::edge_dot", x, y, matrix, heads);
  }

  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    const auto [grad_x, grad_y] = factor_gradients("dsnn::edge_dot_backward", context, grads);
    return {grad_x, grad_y, at::Tensor(), at::Tensor()};
  }
};

class SpmmFunction : public torch::autograd::Function<SpmmFunction> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& values, const at::Tensor& x,
                            const SparsePtr& matrix) {
    const at::AutoDispatchBelowADInplaceOrView below_autograd;
    save_factors(context, values, x, matrix, values.dim() == 2 ? values.size(1) : 0);
    return call_op<decltype(spmm_forward)>("dsnn::edge_spmm", values, x, matrix);
  }

  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    const auto [grad_values, grad_x] = factor_gradients("dsnn::edge_spmm_backward", context, grads);
    return {grad_values, grad_x, at::Tensor()};
  }
};

at::Tensor dot_autograd(const at::Tensor& x, const at::Tensor& y, const SparsePtr& matrix,
                        std::int64_t heads) {
  return DotFunction::apply(x, y, matrix, heads);
}

at::Tensor spmm_autograd(const at::Tensor& values, const at::Tensor& x, const SparsePtr& matrix) {
  return SpmmFunction::apply(values, x, matrix);
}

TORCH_LIBRARY_IMPL(dsnn, CompositeExplicitAutograd, m) {
  m.impl("edge_dot", dot_forward);
  m.impl("edge_dot_backward", dot_backward);
  m.impl("edge_spmm", spmm_forward);
  m.impl("edge_spmm_backward", spmm_backward);
}

TORCH_LIBRARY_IMPL(dsnn, Autograd, m) {
  m.impl("edge_dot", dot_autograd);
  m.impl("edge_spmm", spmm_autograd);
  for (const char* name : {"edge_dot_backward", "edge_spmm_backward"}) {
    m.impl(name, torch::CppFunction::makeFromBoxedFunction<&refuse_double_backward>());
  }
}

}  // namespace

at::Tensor edge_dot(const at::Tensor& x, const at::Tensor& y, const SparseMatrix& matrix,
                    std::int64_t heads) {
  return call_op<decltype(dot_forward)>("dsnn::edge_dot", x, y,
                                        c10::make_intrusive<SparseHolder>(matrix), heads);
}

at::Tensor edge_spmm(const at::Tensor& values, const at::Tensor& x, const SparseMatrix& matrix) {
  return call_op<decltype(spmm_forward)>("dsnn::edge_spmm", values, x,
                                         c10::make_intrusive<SparseHolder>(matrix));
}

}  // namespace dsnn::ops
