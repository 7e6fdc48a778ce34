#pragma once

#include "dsnn/engine/operator.h"

#include "kernels/gpu.h"
#include "kernels/scratch.h"

namespace dsnn::engine {

/// The destination of an argument's gradient, for kernels that always compute it: scratch memory if
/// it is not requested. Null if the argument is omitted.
template <class T>
class GradPlace {
 public:
  GradPlace(const Call<T>& call, std::size_t argument) {
    if (argument >= call.input_grads.size() || !call.shapes.has(argument)) return;
    data_ = call.input_grads[argument];
    if (data_ != nullptr) return;
    if (const kernels::Gpu* gpu = call.executor.gpu()) {
      const std::int64_t size = num_numbers(call.shapes[argument]);
      data_ = static_cast<T*>(gpu->scratch(static_cast<std::size_t>(size) * sizeof(T)));
      return;
    }
    unused_.resize(static_cast<std::size_t>(num_numbers(call.shapes[argument])));
    data_ = unused_.data();
  }
  operator T*() const { return data_; }

 private:
  T* data_ = nullptr;
  kernels::ScratchVector<T> unused_;
};

}  // namespace dsnn::engine
