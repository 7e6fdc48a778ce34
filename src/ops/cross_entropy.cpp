#include "dsnn/ops/cross_entropy.h"

#include "ops/autograd.h"
#include "ops/checks.h"

#include <ATen/Dispatch.h>
#include <ATen/Functions.h>
#include <torch/csrc/autograd/custom_function.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace dsnn::ops {
namespace {

// One exponential for each node and class: too little to share among threads, and a sum in the
// order of the nodes.

void check_arguments(const Checks& checks, const at::Tensor& logits, const at::Tensor& labels,
                     const at::Tensor& nodes) {
  checks.real("logits", logits);
  checks.shape("logits", logits, {-1, -1});
  checks.integers("labels", labels);
  checks.shape("labels", labels, {logits.size(0)});
  checks.integers("nodes", nodes);
  checks.shape("nodes", nodes, {-1});
  if (nodes.numel() == 0) checks.fail("nodes must not be empty");
  const auto* u = nodes.data_ptr<std::int64_t>();
  for (std::int64_t i = 0; i < nodes.numel(); ++i) {
    if (u[i] < 0 || u[i] >= logits.size(0)) {
      checks.fail(fmt::format("nodes has {}, expected 0 to {}", u[i], logits.size(0) - 1));
    }
    const std::int64_t label = labels.data_ptr<std::int64_t>()[u[i]];
    if (label < 0 || label >= logits.size(1)) {
      checks.fail(
          fmt::format("node {} has label {}, expected 0 to {}", u[i], label, logits.size(1) - 1));
    }
  }
}

/// log sum exp of a row.
template <class T>
double log_sum_exp(const T* row, std::int64_t size) {
  const double largest = *std::max_element(row, row + size);
  double sum = 0;
  for (std::int64_t j = 0; j < size; ++j) sum += std::exp(static_cast<double>(row[j]) - largest);
  return largest + std::log(sum);
}

at::Tensor entropy_forward(const at::Tensor& logits, const at::Tensor& labels,
                           const at::Tensor& nodes) {
  const at::Tensor z = logits.contiguous(), y = labels.contiguous(), us = nodes.contiguous();
  check_arguments(Checks("cross_entropy"), z, y, us);
  const std::int64_t classes = z.size(1), count = us.numel();
  at::Tensor loss = at::empty({}, z.options());
  AT_DISPATCH_FLOATING_TYPES(z.scalar_type(), "cross_entropy", [&] {
    double sum = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t u = us.data_ptr<std::int64_t>()[i];
      const scalar_t* row = z.data_ptr<scalar_t>() + u * classes;
      sum += log_sum_exp(row, classes) - row[y.data_ptr<std::int64_t>()[u]];
    }
    loss.fill_(sum / static_cast<double>(count));
  });
  return loss;
}

at::Tensor entropy_backward(const at::Tensor& logits, const at::Tensor& labels,
                            const at::Tensor& nodes, const at::Tensor& grad) {
  const Checks checks("cross_entropy_backward");
  const at::Tensor z = logits.contiguous(), y = labels.contiguous(), us = nodes.contiguous();
  check_arguments(checks, z, y, us);
  checks.like("grad", grad, "logits", logits);
  checks.shape("grad", grad, {});
  const std::int64_t classes = z.size(1), count = us.numel();
  at::Tensor grad_logits = at::zeros(z.sizes(), z.options());
  AT_DISPATCH_FLOATING_TYPES(z.scalar_type(), "cross_entropy_backward", [&] {
    const double factor =
        static_cast<double>(*grad.data_ptr<scalar_t>()) / static_cast<double>(count);
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t u = us.data_ptr<std::int64_t>()[i];
      const scalar_t* row = z.data_ptr<scalar_t>() + u * classes;
      scalar_t* to = grad_logits.data_ptr<scalar_t>() + u * classes;
      const double log_sum = log_sum_exp(row, classes);
      for (std::int64_t j = 0; j < classes; ++j) {
        const double target = j == y.data_ptr<std::int64_t>()[u] ? 1 : 0;
        to[j] += static_cast<scalar_t>(factor *
                                       (std::exp(static_cast<double>(row[j]) - log_sum) - target));
      }
    }
  });
  return grad_logits;
}

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

class EntropyFunction : public torch::autograd::Function<EntropyFunction> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& logits,
                            const at::Tensor& labels, const at::Tensor& nodes) {
    const at::AutoDispatchBelowADInplaceOrView below_autograd;
    context->save_for_backward({logits, labels, nodes});
    return call_op<decltype(entropy_forward)>("dsnn::cross_entropy", logits, labels, nodes);
  }

  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    const variable_list saved = context->get_saved_variables();
    return {call_op<decltype(entropy_backward)>("dsnn::cross_entropy_backward", saved[0], saved[1],
                                                saved[2], grads[0]),
            at::Tensor(), at::Tensor()};
  }
};

at::Tensor entropy_autograd(const at::Tensor& logits, const at::Tensor& labels,
                            const at::Tensor& nodes) {
  return EntropyFunction::apply(logits, labels, nodes);
}

TORCH_LIBRARY_IMPL(dsnn, CompositeExplicitAutograd, m) {
  m.impl("cross_entropy", entropy_forward);
  m.impl("cross_entropy_backward", entropy_backward);
}

TORCH_LIBRARY_IMPL(dsnn, Autograd, m) {
  m.impl("cross_entropy", entropy_autograd);
  m.impl("cross_entropy_backward",
         torch::CppFunction::makeFromBoxedFunction<&refuse_double_backward>());
}

}  // namespace

at::Tensor cross_entropy(const at::Tensor& logits, const at::Tensor& labels,
                         const at::Tensor& nodes) {
  return call_op<decltype(entropy_forward)>("dsnn::cross_entropy", logits, labels, nodes);
}

}  // namespace dsnn::ops
