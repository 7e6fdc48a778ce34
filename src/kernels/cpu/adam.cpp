#include "kernels/adam.h"

#include "util/portable_math.h"

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/adam.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// After foreach_target: these are compiled once for each instruction set.
#include "kernels/cpu/dispatch.h"
#include "kernels/cpu/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dsnn::kernels::HWY_NAMESPACE {
namespace {

template <class T>
void update(const AdamStep& step, std::int64_t begin, std::int64_t end, const T* gradients,
            T* weights, T* first_moments, T* second_moments) {
  const double rate = step.learning_rate / (1 - portable::power(step.beta1, step.step));
  const double root = 1 / std::sqrt(1 - portable::power(step.beta2, step.step));
  for_lanes<T>(end - begin, [&](auto d, std::int64_t i) HWY_ATTR {
    const auto number = [&](double value) HWY_ATTR { return hn::Set(d, static_cast<T>(value)); };
    T* w_at = weights + begin + i;
    T* m_at = first_moments + begin + i;
    T* v_at = second_moments + begin + i;
    auto w = hn::LoadU(d, w_at);
    const auto g = hn::MulAdd(number(step.weight_decay), w, hn::LoadU(d, gradients + begin + i));
    const auto m =
        hn::MulAdd(number(step.beta1), hn::LoadU(d, m_at), hn::Mul(number(1 - step.beta1), g));
    const auto v = hn::MulAdd(number(step.beta2), hn::LoadU(d, v_at),
                              hn::Mul(number(1 - step.beta2), hn::Mul(g, g)));
    const auto scale = hn::MulAdd(hn::Sqrt(v), number(root), number(step.epsilon));
    w = hn::NegMulAdd(number(rate), hn::Div(m, scale), w);
    hn::StoreU(w, d, w_at);
    hn::StoreU(m, d, m_at);
    hn::StoreU(v, d, v_at);
  });
}

}  // namespace
}  // namespace dsnn::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dsnn::kernels {

template <class T>
void adam_step(const Executor& executor, const AdamStep& step, std::int64_t size,
               const T* gradients, T* weights, T* first_moments, T* second_moments) {
  constexpr std::int64_t kBlock = 16384;
  const auto kernel = DSNN_DISPATCH(update<T>);
  run_blocks(executor, (size + kBlock - 1) / kBlock, [&](BlockQueue& queue) {
    for (std::int64_t block; queue.take(block);) {
      kernel(step, block * kBlock, std::min(size, (block + 1) * kBlock), gradients, weights,
             first_moments, second_moments);
    }
  });
}

template void adam_step(const Executor&, const AdamStep&, std::int64_t, const float*, float*,
                        float*, float*);
template void adam_step(const Executor&, const AdamStep&, std::int64_t, const double*, double*,
                        double*, double*);

}  // namespace dsnn::kernels
#endif  // HWY_ONCE
