// Functions of single values in kernels.
#pragma once

#include "dsnn/sheaf/options.h"

#include "kernels/cuda/launch.h"
#include "kernels/dropout.h"

namespace dsnn::kernels::cuda {

DSNN_GPU_INLINE float exp_of(float x) { return expf(x); }
DSNN_GPU_INLINE double exp_of(double x) { return exp(x); }
DSNN_GPU_INLINE float expm1_of(float x) { return expm1f(x); }
DSNN_GPU_INLINE double expm1_of(double x) { return expm1(x); }
DSNN_GPU_INLINE float log1p_of(float x) { return log1pf(x); }
DSNN_GPU_INLINE double log1p_of(double x) { return log1p(x); }
DSNN_GPU_INLINE float tanh_of(float x) { return tanhf(x); }
DSNN_GPU_INLINE double tanh_of(double x) { return tanh(x); }
DSNN_GPU_INLINE float root_of(float x) { return sqrtf(x); }
DSNN_GPU_INLINE double root_of(double x) { return sqrt(x); }
DSNN_GPU_INLINE void sin_cos(float x, float& sine, float& cosine) {
  sine = sinf(x);
  cosine = cosf(x);
}
DSNN_GPU_INLINE void sin_cos(double x, double& sine, double& cosine) {
  sine = sin(x);
  cosine = cos(x);
}
template <class T>
DSNN_GPU_INLINE T sigmoid_of(T x) {
  return x < 0 ? exp_of(x) / (1 + exp_of(x)) : 1 / (1 + exp_of(-x));
}

/// sigma(y) of a part y of z, with real part `real`; NaN is propagated.
template <class T>
DSNN_GPU_INLINE T activate(StalkActivation activation, T real, T y) {
  if (activation == StalkActivation::kRelu) return real < 0 ? T{0} : y;
  if (activation == StalkActivation::kElu) return y < 0 ? expm1_of(y) : y;
  return y;
}
/// sigma'(y) factor
template <class T>
DSNN_GPU_INLINE T activate_slope(StalkActivation activation, T real, T y, T factor) {
  if (activation == StalkActivation::kRelu) return real < 0 ? T{0} : factor;
  if (activation == StalkActivation::kElu) return y < 0 ? factor * exp_of(y) : factor;
  return factor;
}

/// Dropout with the hash of the processor's kernels (cpu/dropout-inl.h).
template <class T>
struct Drop {
  std::uint64_t place = 0;  // the seed for a pass with seed 0
  std::int64_t period = 0;
  const std::uint64_t* pass_seed = nullptr;
  std::uint32_t threshold = 0;
  T scale = 1;
  bool is_on = false;

  Drop() = default;
  Drop(const Gpu& gpu, const Dropout& dropout)
      : Drop(gpu, dropout.probability, dropout.seed, dropout.period) {}
  Drop(const Gpu& gpu, double probability, std::uint64_t seed, std::int64_t given_period)
      : place(seed),
        period(given_period),
        pass_seed(gpu.pass_seed()),
        threshold(static_cast<std::uint32_t>(std::min(probability * 0x1p32, 0x1p32 - 1))),
        scale(static_cast<T>(1 / (1 - probability))),
        is_on(probability > 0) {}

  static DSNN_GPU_INLINE std::uint64_t mix(std::uint64_t z) {  // SplitMix64
    z += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

  /// x_i m_i for element i.
  DSNN_GPU_INLINE T operator()(std::int64_t i, T x) const {
    if (!is_on) return x;
    if (period > 0 && i >= period) i = i < 2 * period ? i - period : i % period;
    const auto position = static_cast<std::uint64_t>(i);
    const std::uint64_t seed = place + read_constant(pass_seed) * 0x9e3779b97f4a7c15u;
    // Nearly always 0: the same keys for all elements of a thread.
    const std::uint64_t high = position >> 32;
    const std::uint64_t keys = high == 0 ? mix(seed ^ mix(0)) : mix(seed ^ mix(high));
    std::uint32_t h = static_cast<std::uint32_t>(position);
    h = h * 0x9e3779b9u + static_cast<std::uint32_t>(keys);
    h ^= h >> 16;
    h *= 0x85ebca6bu;
    h ^= h >> 13;
    h = h * 0xc2b2ae35u + static_cast<std::uint32_t>(keys >> 32);
    h ^= h >> 16;
    return h < threshold ? T{0} : x * scale;
  }
};

}  // namespace dsnn::kernels::cuda
