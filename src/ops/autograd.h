#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/library.h>

#include <utility>

namespace dsnn::ops {

/// The registered operator dsnn::`name`. Defined where all are registered, so that a static library
/// brings the registration along with whoever calls one.
c10::OperatorHandle find_op(const char* name);

/// Calls operator `name` through the dispatcher with the signature Function.
template <class Function, class... Args>
auto call_op(const char* name, Args&&... args) {
  return find_op(name).typed<Function>().call(std::forward<Args>(args)...);
}

/// Autograd kernel of every *_backward operator: passes on to the arithmetic, and refuses to be
/// differentiated itself. Register with makeFromBoxedFunction.
void refuse_double_backward(const c10::OperatorHandle& op, c10::DispatchKeySet keys,
                            torch::jit::Stack* stack);

}  // namespace dsnn::ops
