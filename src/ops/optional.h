#pragma once

#include <ATen/core/Tensor.h>
#include <c10/util/Optional.h>

namespace dsnn::ops {

using OptionalTensor = c10::optional<at::Tensor>;

/// A tensor that may be undefined, as the dispatcher takes it.
inline OptionalTensor optional_of(const at::Tensor& tensor) {
  return tensor.defined() ? OptionalTensor(tensor) : c10::nullopt;
}

/// As kernels take it: contiguous, or undefined.
inline at::Tensor contiguous_of(const OptionalTensor& tensor) {
  return tensor.has_value() && tensor->defined() ? tensor->contiguous() : at::Tensor();
}

template <class T>
T* data_or_null(const at::Tensor& tensor) {
  return tensor.defined() ? tensor.data_ptr<T>() : nullptr;
}

}  // namespace dsnn::ops
