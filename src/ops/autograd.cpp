#include "ops/autograd.h"

#include "dsnn/util/error.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/grad_mode.h>

#include <fmt/format.h>

#include <string>

namespace dsnn::ops {

void refuse_double_backward(const c10::OperatorHandle& op, c10::DispatchKeySet /*keys*/,
                            torch::jit::Stack* stack) {
  if (c10::GradMode::is_enabled()) {
    for (const c10::IValue& value : torch::jit::last(*stack, op.schema().arguments().size())) {
      if (!value.isTensor() || !value.toTensor().requires_grad()) continue;
      std::string name = op.schema().name().substr(std::string("dsnn::").size());
      name.erase(name.size() - std::string("_backward").size());
      throw Error(
          fmt::format("{}: has no second derivative; do not ask for one with create_graph", name));
    }
  }
  const at::AutoDispatchBelowADInplaceOrView below_autograd;
  op.callBoxed(stack);
}

}  // namespace dsnn::ops
