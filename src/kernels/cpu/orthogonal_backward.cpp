#include "kernels/cpu/orthogonal_backward.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/orthogonal_backward.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// After foreach_target: these are compiled once for each instruction set.
#include "kernels/cpu/dispatch.h"
#include "kernels/cpu/orthogonal_run-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dsnn::kernels::HWY_NAMESPACE {

template <class T>
void backward(const OrthogonalBatch& batch, std::int64_t begin, std::int64_t end, const T* params,
              const T* grad, T* grad_params) {
  const Rows<T> rows = {batch.count, begin, end, params, grad, grad_params};
  batch.is_complex ? run_method<true, Complex<T>>(batch, rows)
                   : run_method<true, Real<T>>(batch, rows);
}

}  // namespace dsnn::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dsnn::kernels {

template <class T>
OrthogonalBackward<T> orthogonal_backward_kernel() {
  return DSNN_DISPATCH(backward<T>);
}
template OrthogonalBackward<float> orthogonal_backward_kernel();
template OrthogonalBackward<double> orthogonal_backward_kernel();

}  // namespace dsnn::kernels
#endif  // HWY_ONCE
