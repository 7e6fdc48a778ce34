// The operators of dsnn/ops/edges.h that are no products; those are in edge_products.cpp.
#include "dsnn/ops/edges.h"

#include "kernels/edges.h"
#include "ops/autograd.h"
#include "ops/checks.h"
#include "ops/sparse_holder.h"
#include "ops/torch_executor.h"

#include <ATen/Dispatch.h>
#include <ATen/Functions.h>
#include <torch/csrc/autograd/custom_function.h>

#include <fmt/format.h>

#include <cmath>
#include <tuple>

namespace dsnn::ops {
namespace {

using TwoTensors = std::tuple<at::Tensor, at::Tensor>;
using ThreeTensors = std::tuple<at::Tensor, at::Tensor, at::Tensor>;

void check_real(const Checks& checks, const char* name, const at::Tensor& x,
                at::IntArrayRef shape) {
  checks.real(name, x);
  checks.shape(name, x, shape);
}

void check_like(const Checks& checks, const char* name, const at::Tensor& x, const char* other_name,
                const at::Tensor& other, at::IntArrayRef shape) {
  checks.like(name, x, other_name, other);
  checks.shape(name, x, shape);
}

at::Tensor sum_forward(const at::Tensor& left, const at::Tensor& right, const SparsePtr& matrix) {
  const Checks checks("edge_sum");
  check_real(checks, "left", left, {matrix->num_rows(), -1});
  const std::int64_t width = left.size(1);
  check_like(checks, "right", right, "left", left, {matrix->num_cols(), width});
  const at::Tensor l = left.contiguous();
  const at::Tensor r = right.contiguous();
  at::Tensor out = at::empty({matrix->num_entries(), width}, left.options());
  AT_DISPATCH_FLOATING_TYPES(left.scalar_type(), "edge_sum", [&] {
    kernels::edge_sum(torch_executor(), matrix->rows(), width, l.data_ptr<scalar_t>(),
                      r.data_ptr<scalar_t>(), out.data_ptr<scalar_t>());
  });
  return out;
}

TwoTensors sum_backward(const at::Tensor& grad, const SparsePtr& matrix, bool needs_left,
                        bool needs_right) {
  const Checks checks("edge_sum_backward");
  check_real(checks, "grad", grad, {matrix->num_entries(), -1});
  const at::Tensor g = grad.contiguous();
  const auto gradient = [&](const kernels::SparseRows& rows) {
    at::Tensor out = at::empty({rows.num_rows, grad.size(1)}, grad.options());
    AT_DISPATCH_FLOATING_TYPES(grad.scalar_type(), "edge_sum_backward", [&] {
      kernels::edge_sum_backward(torch_executor(), rows, grad.size(1), g.data_ptr<scalar_t>(),
                                 out.data_ptr<scalar_t>());
    });
    return out;
  };
  return {needs_left ? gradient(matrix->rows()) : at::Tensor(),
          needs_right ? gradient(matrix->columns()) : at::Tensor()};
}

void check_attention(const Checks& checks, const at::Tensor& left, const at::Tensor& right,
                     const at::Tensor& weight, const SparseHolder& holder, double slope) {
  check_real(checks, "weight", weight, {-1, -1});
  check_like(checks, "left", left, "weight", weight, {holder.num_rows(), weight.numel()});
  check_like(checks, "right", right, "weight", weight, {holder.num_cols(), weight.numel()});
  if (!std::isfinite(slope)) checks.fail(fmt::format("slope is {}, expected a number", slope));
}

kernels::SparseShape attention_shape(const at::Tensor& weight, std::int64_t num_cols) {
  return {1, num_cols, weight.size(1), weight.size(0)};
}

at::Tensor attention_forward(const at::Tensor& left, const at::Tensor& right,
                             const at::Tensor& weight, const SparsePtr& matrix, double slope) {
  check_attention(Checks("edge_attention"), left, right, weight, *matrix, slope);
  const at::Tensor l = left.contiguous();
  const at::Tensor r = right.contiguous();
  const at::Tensor w = weight.contiguous();
  at::Tensor scores = at::empty({matrix->num_entries(), weight.size(0)}, left.options());
  AT_DISPATCH_FLOATING_TYPES(left.scalar_type(), "edge_attention", [&] {
    kernels::edge_attention(
        torch_executor(), matrix->rows(), attention_shape(weight, matrix->num_cols()),
        static_cast<scalar_t>(slope), l.data_ptr<scalar_t>(), r.data_ptr<scalar_t>(),
        w.data_ptr<scalar_t>(), scores.data_ptr<scalar_t>());
  });
  return scores;
}

/// Left and weight in one pass over rows, right in one over columns: the sum left_u + right_v is
/// the same either way.
ThreeTensors attention_backward(const at::Tensor& left, const at::Tensor& right,
                                const at::Tensor& weight, const at::Tensor& grad,
                                const SparsePtr& matrix, double slope, bool needs_right) {
  const Checks checks("edge_attention_backward");
  check_attention(checks, left, right, weight, *matrix, slope);
  check_like(checks, "grad", grad, "weight", weight, {matrix->num_entries(), weight.size(0)});
  const at::Tensor w = weight.contiguous();
  const at::Tensor g = grad.contiguous();
  at::Tensor grad_weight = at::empty(weight.sizes(), weight.options());
  const auto gradient = [&](const kernels::SparseRows& rows, const at::Tensor& own,
                            const at::Tensor& other, bool with_weight) {
    const at::Tensor a = own.contiguous();
    const at::Tensor b = other.contiguous();
    at::Tensor out = at::empty(own.sizes(), own.options());
    AT_DISPATCH_FLOATING_TYPES(weight.scalar_type(), "edge_attention_backward", [&] {
      kernels::edge_attention_backward(
          torch_executor(), rows, attention_shape(weight, other.size(0)),
          static_cast<scalar_t>(slope), a.data_ptr<scalar_t>(), b.data_ptr<scalar_t>(),
          w.data_ptr<scalar_t>(), g.data_ptr<scalar_t>(), out.data_ptr<scalar_t>(),
          with_weight ? grad_weight.data_ptr<scalar_t>() : nullptr);
    });
    return out;
  };
  const at::Tensor grad_left = gradient(matrix->rows(), left, right, true);
  const at::Tensor grad_right =
      needs_right ? gradient(matrix->columns(), right, left, false) : at::Tensor();
  return {grad_left, grad_right, grad_weight};
}

at::Tensor softmax_forward(const at::Tensor& scores, const SparsePtr& matrix) {
  check_real(Checks("edge_softmax"), "scores", scores, {matrix->num_entries(), -1});
  const at::Tensor s = scores.contiguous();
  at::Tensor out = at::empty(scores.sizes(), scores.options());
  AT_DISPATCH_FLOATING_TYPES(scores.scalar_type(), "edge_softmax", [&] {
    kernels::edge_softmax(torch_executor(), matrix->rows(), scores.size(1), s.data_ptr<scalar_t>(),
                          out.data_ptr<scalar_t>());
  });
  return out;
}

at::Tensor softmax_backward(const at::Tensor& out, const at::Tensor& grad,
                            const SparsePtr& matrix) {
  const Checks checks("edge_softmax_backward");
  check_real(checks, "out", out, {matrix->num_entries(), -1});
  check_like(checks, "grad", grad, "out", out, out.sizes());
  const at::Tensor y = out.contiguous();
  const at::Tensor g = grad.contiguous();
  at::Tensor grad_scores = at::empty(out.sizes(), out.options());
  AT_DISPATCH_FLOATING_TYPES(out.scalar_type(), "edge_softmax_backward", [&] {
    kernels::edge_softmax_backward(torch_executor(), matrix->rows(), out.size(1),
                                   y.data_ptr<scalar_t>(), g.data_ptr<scalar_t>(),
                                   grad_scores.data_ptr<scalar_t>());
  });
  return grad_scores;
}

at::Tensor max_forward(const at::Tensor& x, const SparsePtr& matrix) {
  check_real(Checks("neighbour_max"), "x", x, {matrix->num_cols(), -1});
  const at::Tensor z = x.contiguous();
  at::Tensor y = at::empty({matrix->num_rows(), x.size(1)}, x.options());
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "neighbour_max", [&] {
    kernels::neighbour_max(torch_executor(), matrix->rows(), {1, x.size(0), x.size(1)},
                           z.data_ptr<scalar_t>(), y.data_ptr<scalar_t>());
  });
  return y;
}

at::Tensor max_backward(const at::Tensor& x, const at::Tensor& grad, const SparsePtr& matrix) {
  const Checks checks("neighbour_max_backward");
  check_real(checks, "x", x, {matrix->num_cols(), -1});
  check_like(checks, "grad", grad, "x", x, {matrix->num_rows(), x.size(1)});
  const at::Tensor z = x.contiguous();
  const at::Tensor g = grad.contiguous();
  at::Tensor grad_x = at::empty(x.sizes(), x.options());
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "neighbour_max_backward", [&] {
    kernels::neighbour_max_backward(torch_executor(), matrix->rows(), matrix->columns(),
                                    {1, x.size(0), x.size(1)}, z.data_ptr<scalar_t>(),
                                    g.data_ptr<scalar_t>(), grad_x.data_ptr<scalar_t>());
  });
  return grad_x;
}

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

SparsePtr saved_matrix(AutogradContext* context) {
  return context->saved_data["matrix"].toCustomClass<SparseHolder>();
}

class SumFunction : public torch::autograd::Function<SumFunction> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& left,
                            const at::Tensor& right, const SparsePtr& matrix) {
    const at::AutoDispatchBelowADInplaceOrView below_autograd;
    context->saved_data["matrix"] = matrix;
    context->saved_data["needs_left"] = left.requires_grad();
    context->saved_data["needs_right"] = right.requires_grad();
    return call_op<decltype(sum_forward)>("dsnn::edge_sum", left, right, matrix);
  }

  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    const auto [grad_left, grad_right] = call_op<decltype(sum_backward)>(
        "dsnn::edge_sum_backward", grads[0], saved_matrix(context),
        context->saved_data["needs_left"].toBool(), context->saved_data["needs_right"].toBool());
    return {grad_left, grad_right, at::Tensor()};
  }
};

class AttentionFunction : public torch::autograd::Function<AttentionFunction> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& left,
                            const at::Tensor& right, const at::Tensor& weight,
                            const SparsePtr& matrix, double slope) {
    const at::AutoDispatchBelowADInplaceOrView below_autograd;
    context->save_for_backward({left, right, weight});
    context->saved_data["matrix"] = matrix;
    context->saved_data["slope"] = slope;
    context->saved_data["needs_right"] = right.requires_grad();
    return call_op<decltype(attention_forward)>("dsnn::edge_attention", left, right, weight, matrix,
                                                slope);
  }

  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    const variable_list saved = context->get_saved_variables();
    const auto [grad_left, grad_right, grad_weight] = call_op<decltype(attention_backward)>(
        "dsnn::edge_attention_backward", saved[0], saved[1], saved[2], grads[0],
        saved_matrix(context), context->saved_data["slope"].toDouble(),
        context->saved_data["needs_right"].toBool());
    return {grad_left, grad_right, grad_weight, at::Tensor(), at::Tensor()};
  }
};

/// Keeps the result, not the scores.
class SoftmaxFunction : public torch::autograd::Function<SoftmaxFunction> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& scores,
                            const SparsePtr& matrix) {
    const at::AutoDispatchBelowADInplaceOrView below_autograd;
    at::Tensor out = call_op<decltype(softmax_forward)>("dsnn::edge_softmax", scores, matrix);
    context->save_for_backward({out});
    context->saved_data["matrix"] = matrix;
    return out;
  }

  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    return {call_op<decltype(softmax_backward)>("dsnn::edge_softmax_backward",
                                                context->get_saved_variables()[0], grads[0],
                                                saved_matrix(context)),
            at::Tensor()};
  }
};

class MaxFunction : public torch::autograd::Function<MaxFunction> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x,
                            const SparsePtr& matrix) {
    const at::AutoDispatchBelowADInplaceOrView below_autograd;
    context->save_for_backward({x});
    context->saved_data["matrix"] = matrix;
    return call_op<decltype(max_forward)>("dsnn::neighbour_max", x, matrix);
  }

  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    return {call_op<decltype(max_backward)>("dsnn::neighbour_max_backward",
                                            context->get_saved_variables()[0], grads[0],
                                            saved_matrix(context)),
            at::Tensor()};
  }
};

at::Tensor sum_autograd(const at::Tensor& left, const at::Tensor& right, const SparsePtr& matrix) {
  return SumFunction::apply(left, right, matrix);
}

at::Tensor attention_autograd(const at::Tensor& left, const at::Tensor& right,
                              const at::Tensor& weight, const SparsePtr& matrix, double slope) {
  return AttentionFunction::apply(left, right, weight, matrix, slope);
}

at::Tensor softmax_autograd(const at::Tensor& scores, const SparsePtr& matrix) {
  return SoftmaxFunction::apply(scores, matrix);
}

at::Tensor max_autograd(const at::Tensor& x, const SparsePtr& matrix) {
  return MaxFunction::apply(x, matrix);
}

TORCH_LIBRARY_IMPL(dsnn, CompositeExplicitAutograd, m) {
  m.impl("edge_sum", sum_forward);
  m.impl("edge_sum_backward", sum_backward);
  m.impl("edge_attention", attention_forward);
  m.impl("edge_attention_backward", attention_backward);
  m.impl("edge_softmax", softmax_forward);
  m.impl("edge_softmax_backward", softmax_backward);
  m.impl("neighbour_max", max_forward);
  m.impl("neighbour_max_backward", max_backward);
}

TORCH_LIBRARY_IMPL(dsnn, Autograd, m) {
  m.impl("edge_sum", sum_autograd);
  m.impl("edge_attention", attention_autograd);
  m.impl("edge_softmax", softmax_autograd);
  m.impl("neighbour_max", max_autograd);
  for (const char* name : {"edge_sum_backward", "edge_attention_backward", "edge_softmax_backward",
                           "neighbour_max_backward"}) {
    m.impl(name, torch::CppFunction::makeFromBoxedFunction<&refuse_double_backward>());
  }
}

SparsePtr hold(const SparseMatrix& matrix) { return c10::make_intrusive<SparseHolder>(matrix); }

}  // namespace

at::Tensor edge_sum(const at::Tensor& left, const at::Tensor& right, const SparseMatrix& matrix) {
  return call_op<decltype(sum_forward)>("dsnn::edge_sum", left, right, hold(matrix));
}

at::Tensor edge_attention(const at::Tensor& left, const at::Tensor& right, const at::Tensor& weight,
                          const SparseMatrix& matrix, double slope) {
  return call_op<decltype(attention_forward)>("dsnn::edge_attention", left, right, weight,
                                              hold(matrix), slope);
}

at::Tensor edge_softmax(const at::Tensor& scores, const SparseMatrix& matrix) {
  return call_op<decltype(softmax_forward)>("dsnn::edge_softmax", scores, hold(matrix));
}

at::Tensor neighbour_max(const at::Tensor& x, const SparseMatrix& matrix) {
  return call_op<decltype(max_forward)>("dsnn::neighbour_max", x, hold(matrix));
}

}  // namespace dsnn::ops
