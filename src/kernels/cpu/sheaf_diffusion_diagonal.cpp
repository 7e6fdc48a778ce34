#include "kernels/cpu/sheaf_gather.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/sheaf_diffusion_diagonal.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// After foreach_target: these are compiled once for each instruction set.
#include "kernels/cpu/dispatch.h"
#include "kernels/cpu/join_edges-inl.h"
#include "kernels/cpu/sheaf_blocks-inl.h"
#include "kernels/cpu/sheaf_gather-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dsnn::kernels::HWY_NAMESPACE {

template <class T, bool kIsComplex>
void diagonal_forward(const Diffusion<T>& op, const NodeBlocks& blocks, BlockQueue& queue,
                      const T* x, T* y) {
  with_tag(op, [&](auto d) HWY_ATTR {
    using Block = DiagonalBlock<decltype(d), kIsComplex>;
    forward_worker<Block>(op, blocks, queue, x, y);
  });
}

template <class T, bool kIsComplex>
void diagonal_backward(const Diffusion<T>& op, const NodeBlocks& blocks, BlockQueue& queue,
                       const T* x, const T* grad, T* grad_x, T* grad_maps, T* grad_diagonal,
                       double* charges) {
  with_tag(op, [&](auto d) HWY_ATTR {
    using Block = DiagonalBlock<decltype(d), kIsComplex>;
    backward_worker<Block>(op, blocks, queue, x, grad, grad_x, grad_maps, grad_diagonal, charges);
  });
}

template <class T, bool kIsComplex>
void diagonal_join(const Diffusion<T>& op, const NodeBlocks& blocks, BlockQueue& queue,
                   T* grad_maps) {
  join_diagonal_worker<T, kIsComplex>(op, blocks, queue, grad_maps);
}

}  // namespace dsnn::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dsnn::kernels {

template <class T>
Gather<T> diagonal_gather(bool is_complex) {
  if (is_complex) {
    return {DSNN_DISPATCH(diagonal_forward<T, true>), DSNN_DISPATCH(diagonal_backward<T, true>),
            DSNN_DISPATCH(diagonal_join<T, true>)};
  }
  return {DSNN_DISPATCH(diagonal_forward<T, false>), DSNN_DISPATCH(diagonal_backward<T, false>),
          DSNN_DISPATCH(diagonal_join<T, false>)};
}

template Gather<float> diagonal_gather(bool);
template Gather<double> diagonal_gather(bool);

}  // namespace dsnn::kernels
#endif  // HWY_ONCE
