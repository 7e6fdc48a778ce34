#include "kernels/dropout.h"

#include "dsnn/ops/linear.h"

#include "ops/autograd.h"
#include "ops/checks.h"
#include "ops/dropout.h"
#include "ops/torch_executor.h"

#include <ATen/Dispatch.h>
#include <ATen/Functions.h>
#include <torch/csrc/autograd/custom_function.h>

#include <fmt/format.h>

namespace dsnn::ops {

kernels::Dropout checked_dropout(const Checks& checks, const at::Tensor& x, double probability,
                                 std::int64_t seed, bool merged_planes) {
  if (!(probability >= 0 && probability < 1)) {
    checks.fail(fmt::format("dropout is {}, expected 0 or more and less than 1", probability));
  }
  const std::int64_t planes = x.dim() == 0 ? 1 : x.size(0);
  return {probability, static_cast<std::uint64_t>(seed),
          merged_planes && planes > 0 ? x.numel() / planes : 0};
}

namespace {

at::Tensor dropout_forward(const at::Tensor& x, double probability, std::int64_t seed,
                           bool merged_planes) {
  const Checks checks("dropout");
  checks.real("x", x);
  const kernels::Dropout options = checked_dropout(checks, x, probability, seed, merged_planes);
  const at::Tensor xs = x.contiguous();
  at::Tensor y = at::empty(x.sizes(), x.options());
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "dropout", [&] {
    kernels::dropout(torch_executor(), x.numel(), options, xs.data_ptr<scalar_t>(),
                     y.data_ptr<scalar_t>());
  });
  return y;
}

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// Its gradient is dropout with the same seed.
class DropoutFunction : public torch::autograd::Function<DropoutFunction> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, double probability,
                            std::int64_t seed, bool merged_planes) {
    const at::AutoDispatchBelowADInplaceOrView below_autograd;
    context->saved_data["probability"] = probability;
    context->saved_data["seed"] = seed;
    context->saved_data["merged_planes"] = merged_planes;
    return call_op<decltype(dropout_forward)>("dsnn::dropout", x, probability, seed, merged_planes);
  }

  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    return {call_op<decltype(dropout_forward)>(
                "dsnn::dropout", grads[0], context->saved_data["probability"].toDouble(),
                context->saved_data["seed"].toInt(), context->saved_data["merged_planes"].toBool()),
            at::Tensor(), at::Tensor(), at::Tensor()};
  }
};

at::Tensor dropout_autograd(const at::Tensor& x, double probability, std::int64_t seed,
                            bool merged_planes) {
  return DropoutFunction::apply(x, probability, seed, merged_planes);
}

TORCH_LIBRARY_IMPL(dsnn, CompositeExplicitAutograd, m) { m.impl("dropout", dropout_forward); }
TORCH_LIBRARY_IMPL(dsnn, Autograd, m) { m.impl("dropout", dropout_autograd); }

}  // namespace

at::Tensor dropout(const at::Tensor& x, const DropoutOptions& options) {
  return call_op<decltype(dropout_forward)>("dsnn::dropout", x, options.probability, options.seed,
                                            options.merged_planes);
}

}  // namespace dsnn::ops
