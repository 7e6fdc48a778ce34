#pragma once

#include "kernels/cuda/math.h"

namespace dsnn::kernels::cuda {

/// The arrays of stalk_linear() for one plane with weights of its own, or for all planes with
/// shared ones.
template <class T>
struct StalkPart {
  std::int64_t rows, position, d, f;  ///< the first element of x, for dropout, is `position`
  const T* left;
  const T* right;
};

/// stalk_linear() and its gradients for small known dimensions and at most 32 channels: one warp
/// for the rows of a node, a channel in each lane. Both return false, and do nothing, for other
/// shapes. x, y and gradients begin at the part.
template <class T>
bool stalk_rows(const Gpu& gpu, const StalkPart<T>& part, const Drop<T>& drop, const T* x, T* y);
template <class T>
bool stalk_rows_backward(const Gpu& gpu, const StalkPart<T>& part, const Drop<T>& drop, const T* x,
                         const T* grad, T* grad_x, T* grad_left, T* grad_right);

}  // namespace dsnn::kernels::cuda
