#include "kernels/cpu/sheaf_gather.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/sheaf_diffusion_dense.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// After foreach_target: these are compiled once for each instruction set.
#include "kernels/cpu/dispatch.h"
#include "kernels/cpu/join_edges-inl.h"
#include "kernels/cpu/known_dim.h"
#include "kernels/cpu/sheaf_blocks-inl.h"
#include "kernels/cpu/sheaf_gather-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dsnn::kernels::HWY_NAMESPACE {

template <class T>
void dense_forward(const Diffusion<T>& op, const NodeBlocks& blocks, BlockQueue& queue, const T* x,
                   T* y) {
  with_known_dim<KnownDims<T, HWY_TARGET>::kDense>(op.dim, [&]<int kDim>() {
    with_tag(op, [&](auto d) HWY_ATTR {
      using Block = DenseBlock<decltype(d), kDim>;
      forward_worker<Block>(op, blocks, queue, x, y);
    });
  });
}

template <class T>
void dense_backward(const Diffusion<T>& op, const NodeBlocks& blocks, BlockQueue& queue, const T* x,
                    const T* grad, T* grad_x, T* grad_maps, T* grad_diagonal, double* charges) {
  with_known_dim<KnownDims<T, HWY_TARGET>::kDense>(op.dim, [&]<int kDim>() {
    with_tag(op, [&](auto d) HWY_ATTR {
      using Block = DenseBlock<decltype(d), kDim>;
      backward_worker<Block>(op, blocks, queue, x, grad, grad_x, grad_maps, grad_diagonal, charges);
    });
  });
}

template <class T>
void dense_join(const Diffusion<T>& op, const NodeBlocks& blocks, BlockQueue& queue, T* grad_maps) {
  with_known_dim<KnownDims<T, HWY_TARGET>::kDense>(
      op.dim, [&]<int kDim>() { join_worker<T, kDim, false>(op, blocks, queue, grad_maps); });
}

}  // namespace dsnn::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dsnn::kernels {

template <class T>
Gather<T> dense_gather() {
  return {DSNN_DISPATCH(dense_forward<T>), DSNN_DISPATCH(dense_backward<T>),
          DSNN_DISPATCH(dense_join<T>)};
}

template Gather<float> dense_gather();
template Gather<double> dense_gather();

}  // namespace dsnn::kernels
#endif  // HWY_ONCE
