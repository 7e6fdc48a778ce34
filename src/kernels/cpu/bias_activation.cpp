#include "kernels/bias_activation.h"

#include "kernels/cuda/dispatch.h"
#include "kernels/reduce_blocks.h"
#include "kernels/scratch.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/bias_activation.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// After foreach_target: these are compiled once for each instruction set.
#include "kernels/cpu/dispatch.h"
#include "kernels/cpu/dropout-inl.h"
#include "kernels/cpu/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dsnn::kernels::HWY_NAMESPACE {
namespace {

/// sigma(z), or sigma'(z) times a factor. NaN is propagated.
template <bool kIsSlope, class D, class V>
HWY_INLINE V activate(D d, StalkActivation activation, V z, V factor) {
  const V zero = hn::Zero(d);
  if (activation == StalkActivation::kRelu) {
    return hn::IfThenZeroElse(hn::Lt(z, zero), kIsSlope ? factor : z);
  }
  if (activation == StalkActivation::kElu) {
    const V below = hn::Min(z, zero);
    if constexpr (kIsSlope) return hn::Mul(factor, exp_of_negative(d, below));
    return hn::IfThenElse(hn::Lt(z, zero), expm1_of_negative(d, below), z);
  }
  return kIsSlope ? factor : z;
}

/// One row. With kIsSlope: `to` = sigma'(x + bias) factors, else sigma(x + bias).
template <bool kIsSlope, class T>
void activate_row(StalkActivation activation, std::int64_t columns, const T* x, const T* bias,
                  const T* factors, T* to) {
  for_lanes<T>(columns, [&](auto d, std::int64_t j) HWY_ATTR {
    const auto shift = bias == nullptr ? hn::Zero(d) : hn::LoadU(d, bias + j);
    const auto z = hn::Add(hn::LoadU(d, x + j), shift);
    const auto factor = kIsSlope ? hn::LoadU(d, factors + j) : z;
    hn::StoreU(activate<kIsSlope>(d, activation, z, factor), d, to + j);
  });
}

/// Rows begin .. end-1.
template <class T>
void forward(std::int64_t begin, std::int64_t end, std::int64_t columns, StalkActivation activation,
             const Dropout& dropout, const T* x, const T* bias, T* y) {
  for (std::int64_t i = begin; i < end; ++i) {
    T* row = y + i * columns;
    activate_row<false, T>(activation, columns, x + i * columns, bias, nullptr, row);
    if (dropout.probability > 0) drop(dropout, dropout.position(i * columns), columns, row, row);
  }
}

/// The same rows of grad_x; adds them up in `sums`.
template <class T>
void backward(std::int64_t begin, std::int64_t end, std::int64_t columns,
              StalkActivation activation, const Dropout& dropout, const T* x, const T* bias,
              const T* grad, T* grad_x, T* sums) {
  for (std::int64_t i = begin; i < end; ++i) {
    T* row = grad_x + i * columns;
    const T* factors = grad + i * columns;
    if (dropout.probability > 0) {
      drop(dropout, dropout.position(i * columns), columns, factors, row);
      factors = row;
    }
    activate_row<true>(activation, columns, x + i * columns, bias, factors, row);
    for (std::int64_t j = 0; j < columns; ++j) sums[j] += row[j];
  }
}

}  // namespace
}  // namespace dsnn::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dsnn::kernels {

template <class T>
void bias_activation(const Executor& executor, std::int64_t rows, std::int64_t columns,
                     StalkActivation activation, const Dropout& dropout, const T* x, const T* bias,
                     T* y) {
  DSNN_ON_GPU(bias_activation(*gpu, rows, columns, activation, dropout, x, bias, y));
  const ReduceBlocks blocks(rows, 32);
  const auto kernel = DSNN_DISPATCH(forward<T>);
  run_blocks(executor, blocks.count(), [&](BlockQueue& queue) {
    for (std::int64_t block; queue.take(block);) {
      kernel(blocks.begin(block), blocks.end(block), columns, activation, dropout, x, bias, y);
    }
  });
}

template <class T>
void bias_activation_backward(const Executor& executor, std::int64_t rows, std::int64_t columns,
                              StalkActivation activation, const Dropout& dropout, const T* x,
                              const T* bias, const T* grad, T* grad_x, T* grad_bias) {
  DSNN_ON_GPU(bias_activation_backward(*gpu, rows, columns, activation, dropout, x, bias, grad,
                                       grad_x, grad_bias));
  const ReduceBlocks blocks(rows, 32);
  ScratchVector<T> sums(static_cast<std::size_t>(blocks.count() * columns), 0);
  const auto kernel = DSNN_DISPATCH(backward<T>);
  run_blocks(executor, blocks.count(), [&](BlockQueue& queue) {
    for (std::int64_t block; queue.take(block);) {
      kernel(blocks.begin(block), blocks.end(block), columns, activation, dropout, x, bias, grad,
             grad_x, sums.data() + block * columns);
    }
  });
  if (grad_bias != nullptr) add_blocks(executor, sums.data(), blocks.count(), columns, grad_bias);
}

#define DSNN_INSTANTIATE(T)                                                                   \
  template void bias_activation(const Executor&, std::int64_t, std::int64_t, StalkActivation, \
                                const Dropout&, const T*, const T*, T*);                      \
  template void bias_activation_backward(const Executor&, std::int64_t, std::int64_t,         \
                                         StalkActivation, const Dropout&, const T*, const T*, \
                                         const T*, T*, T*);
DSNN_INSTANTIATE(float)
DSNN_INSTANTIATE(double)
#undef DSNN_INSTANTIATE

}  // namespace dsnn::kernels
#endif  // HWY_ONCE
