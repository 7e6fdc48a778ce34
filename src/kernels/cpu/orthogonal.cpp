#include "kernels/orthogonal.h"

#include "kernels/cpu/orthogonal_backward.h"
#include "kernels/cuda/dispatch.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/orthogonal.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// After foreach_target: these are compiled once for each instruction set.
#include "kernels/cpu/dispatch.h"
#include "kernels/cpu/orthogonal_run-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dsnn::kernels::HWY_NAMESPACE {

template <class T>
void forward(const OrthogonalBatch& batch, std::int64_t begin, std::int64_t end, const T* params,
             T* result) {
  const Rows<T> rows = {batch.count, begin, end, params, nullptr, result};
  batch.is_complex ? run_method<false, Complex<T>>(batch, rows)
                   : run_method<false, Real<T>>(batch, rows);
}

}  // namespace dsnn::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dsnn::kernels {
namespace {

/// run(begin, end) for blocks of the batch, on all threads. Whole vectors of any width in each but
/// the last.
template <class Run>
void for_blocks(const Executor& executor, std::int64_t count, const Run& run) {
  constexpr std::int64_t kBlock = 512;
  run_blocks(executor, (count + kBlock - 1) / kBlock, [&](BlockQueue& queue) {
    for (std::int64_t block; queue.take(block);) {
      run(block * kBlock, std::min(count, (block + 1) * kBlock));
    }
  });
}

}  // namespace

std::int64_t num_orthogonal_params(OrthogonalMethod method, std::int64_t dim) {
  const bool has_diagonal =
      method == OrthogonalMethod::kCayley || method == OrthogonalMethod::kMatrixExp;
  return has_diagonal ? dim * (dim + 1) / 2 : dim * (dim - 1) / 2;
}

template <class T>
void orthogonal(const Executor& executor, const OrthogonalBatch& batch, const T* params,
                T* result) {
  DSNN_ON_GPU(orthogonal(*gpu, batch, params, result));
  const auto kernel = DSNN_DISPATCH(forward<T>);
  for_blocks(executor, batch.count, [&](std::int64_t begin, std::int64_t end) {
    kernel(batch, begin, end, params, result);
  });
}

template <class T>
void orthogonal_backward(const Executor& executor, const OrthogonalBatch& batch, const T* params,
                         const T* grad, T* grad_params) {
  DSNN_ON_GPU(orthogonal_backward(*gpu, batch, params, grad, grad_params));
  const OrthogonalBackward<T> kernel = orthogonal_backward_kernel<T>();
  for_blocks(executor, batch.count, [&](std::int64_t begin, std::int64_t end) {
    kernel(batch, begin, end, params, grad, grad_params);
  });
}

#define DSNN_INSTANTIATE(T)                                                                      \
  template void orthogonal(const Executor&, const OrthogonalBatch&, const T*, T*);               \
  template void orthogonal_backward(const Executor&, const OrthogonalBatch&, const T*, const T*, \
                                    T*);
DSNN_INSTANTIATE(float)
DSNN_INSTANTIATE(double)
#undef DSNN_INSTANTIATE

}  // namespace dsnn::kernels
#endif  // HWY_ONCE
