#include "kernels/binary_cross_entropy.h"

#include "kernels/cuda/dispatch.h"
#include "kernels/reduce_blocks.h"
#include "kernels/scratch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/binary_cross_entropy.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// After foreach_target: these are compiled once for each instruction set.
#include "kernels/cpu/dispatch.h"
#include "kernels/cpu/math-inl.h"
#include "kernels/cpu/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dsnn::kernels::HWY_NAMESPACE {
namespace {

/// The sum over one block. log(1 + exp(t)) = max(t, 0) + log(1 + exp(-|t|)), which cannot overflow;
/// written so that NaN is propagated.
template <class T>
T losses(std::int64_t size, const T* x, const T* signs) {
  return sum_terms<T>(size, [=](auto d, std::int64_t i, auto sum) HWY_ATTR {
    const auto t = hn::Mul(hn::LoadU(d, signs + i), hn::LoadU(d, x + i));
    const auto linear = hn::IfThenZeroElse(hn::Lt(t, hn::Zero(d)), t);
    const auto rest = log1p_of_unit(d, exp_of_negative(d, hn::Neg(hn::Abs(t))));
    return hn::Add(sum, hn::Add(linear, rest));
  });
}

template <class T>
void slopes(std::int64_t size, const T* x, const T* signs, T factor, T* grad_x) {
  for_lanes<T>(size, [&](auto d, std::int64_t i) HWY_ATTR {
    const auto sign = hn::LoadU(d, signs + i);
    const auto p = sigmoid(d, hn::Mul(sign, hn::LoadU(d, x + i)));
    hn::StoreU(hn::Mul(hn::Mul(hn::Set(d, factor), sign), p), d, grad_x + i);
  });
}

}  // namespace
}  // namespace dsnn::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dsnn::kernels {
namespace {

constexpr std::int64_t kLeastBlock = 2048;

template <class Work>
void for_blocks(const Executor& executor, const ReduceBlocks& blocks, const Work& work) {
  run_blocks(executor, blocks.count(), [&](BlockQueue& queue) {
    for (std::int64_t block; queue.take(block);) {
      work(block, blocks.begin(block), blocks.end(block) - blocks.begin(block));
    }
  });
}

}  // namespace

// In T within a block, in double over the blocks.
template <class T>
void binary_cross_entropy(const Executor& executor, std::int64_t size, const T* x, const T* signs,
                          T* loss) {
  DSNN_ON_GPU(binary_cross_entropy(*gpu, size, x, signs, loss));
  const auto kernel = DSNN_DISPATCH(losses<T>);
  const ReduceBlocks blocks(size, kLeastBlock);
  ScratchVector<T> parts(static_cast<std::size_t>(blocks.count()));
  for_blocks(executor, blocks, [&](std::int64_t block, std::int64_t begin, std::int64_t count) {
    parts[static_cast<std::size_t>(block)] = kernel(count, x + begin, signs + begin);
  });
  double sum = 0;
  for (const T part : parts) sum += static_cast<double>(part);
  *loss = static_cast<T>(sum / static_cast<double>(size));
}

template <class T>
void binary_cross_entropy_backward(const Executor& executor, std::int64_t size, const T* x,
                                   const T* signs, const T* grad, T* grad_x) {
  DSNN_ON_GPU(binary_cross_entropy_backward(*gpu, size, x, signs, grad, grad_x));
  const auto factor = static_cast<T>(static_cast<double>(*grad) / static_cast<double>(size));
  const auto kernel = DSNN_DISPATCH(slopes<T>);
  const ReduceBlocks blocks(size, kLeastBlock);
  for_blocks(executor, blocks, [&](std::int64_t, std::int64_t begin, std::int64_t count) {
    kernel(count, x + begin, signs + begin, factor, grad_x + begin);
  });
}

#define DSNN_INSTANTIATE(T)                                                                      \
  template void binary_cross_entropy(const Executor&, std::int64_t, const T*, const T*, T*);     \
  template void binary_cross_entropy_backward(const Executor&, std::int64_t, const T*, const T*, \
                                              const T*, T*);
DSNN_INSTANTIATE(float)
DSNN_INSTANTIATE(double)
#undef DSNN_INSTANTIATE

}  // namespace dsnn::kernels
#endif  // HWY_ONCE
