#include "kernels/elementwise.h"

#include "kernels/cuda/dispatch.h"
#include "kernels/scratch.h"

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/elementwise.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// After foreach_target: these are compiled once for each instruction set.
#include "kernels/cpu/dispatch.h"
#include "kernels/cpu/math-inl.h"
#include "kernels/cpu/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dsnn::kernels::HWY_NAMESPACE {
namespace {

using engine::Function;

constexpr double kSlope = 0.2;  // of the leaky ReLU

/// f(x); NaN is propagated.
template <class D, class V>
HWY_INLINE V value(D d, Function function, V x) {
  using T = hn::TFromD<D>;
  const V zero = hn::Zero(d);
  switch (function) {
    case Function::kRelu:
      return hn::IfThenZeroElse(hn::Lt(x, zero), x);
    case Function::kLeakyRelu:
      return hn::IfThenElse(hn::Lt(x, zero), hn::Mul(hn::Set(d, static_cast<T>(kSlope)), x), x);
    case Function::kElu:
      return hn::IfThenElse(hn::Lt(x, zero), expm1_of_negative(d, hn::Min(x, zero)), x);
    case Function::kTanh:
      return tanh(d, x);
    case Function::kSoftplus:
      break;
  }
  // max(x, 0) + log(1 + exp(-|x|)), which cannot overflow.
  return hn::Add(hn::IfThenZeroElse(hn::Lt(x, zero), x),
                 log1p_of_unit(d, exp_of_negative(d, hn::Neg(hn::Abs(x)))));
}

/// f'(x) g
template <class D, class V>
HWY_INLINE V slope(D d, Function function, V x, V g) {
  using T = hn::TFromD<D>;
  const V zero = hn::Zero(d), one = hn::Set(d, T{1});
  switch (function) {
    case Function::kRelu:
      return hn::IfThenElseZero(hn::Gt(x, zero), g);
    case Function::kLeakyRelu:
      return hn::IfThenElse(hn::Gt(x, zero), g, hn::Mul(hn::Set(d, static_cast<T>(kSlope)), g));
    case Function::kElu:
      return hn::Mul(g, exp_of_negative(d, hn::Min(x, zero)));
    case Function::kTanh: {
      const V y = tanh(d, x);
      return hn::Mul(g, hn::NegMulAdd(y, y, one));
    }
    case Function::kSoftplus:
      break;
  }
  return hn::Mul(g, sigmoid(d, x));
}

template <class T>
void apply(Function function, std::int64_t size, const T* x, T* y) {
  for_lanes<T>(size, [&](auto d, std::int64_t i) HWY_ATTR {
    hn::StoreU(value(d, function, hn::LoadU(d, x + i)), d, y + i);
  });
}

template <class T>
void apply_slope(Function function, std::int64_t size, const T* x, const T* grad, T* grad_x) {
  for_lanes<T>(size, [&](auto d, std::int64_t i) HWY_ATTR {
    hn::StoreU(slope(d, function, hn::LoadU(d, x + i), hn::LoadU(d, grad + i)), d, grad_x + i);
  });
}

template <class T>
void combination(std::int64_t size, T a, const T* x, T b, const T* y, T c, T* out) {
  for_lanes<T>(size, [&](auto d, std::int64_t i) HWY_ATTR {
    auto sum = hn::Mul(hn::Set(d, a), hn::LoadU(d, x + i));
    if (y != nullptr) sum = hn::MulAdd(hn::Set(d, b), hn::LoadU(d, y + i), sum);
    if (c != 0) sum = hn::Add(sum, hn::Set(d, c));
    hn::StoreU(sum, d, out + i);
  });
}

template <class T>
void product(std::int64_t size, const T* x, const T* y, T* out) {
  for_lanes<T>(size, [&](auto d, std::int64_t i) HWY_ATTR {
    hn::StoreU(hn::Mul(hn::LoadU(d, x + i), hn::LoadU(d, y + i)), d, out + i);
  });
}

}  // namespace
}  // namespace dsnn::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dsnn::kernels {
namespace {

constexpr std::int64_t kBlock = 8192;

template <class Work>
void for_pieces(const Executor& executor, std::int64_t size, const Work& work) {
  run_blocks(executor, (size + kBlock - 1) / kBlock, [&](BlockQueue& queue) {
    for (std::int64_t block; queue.take(block);) {
      work(block * kBlock, std::min(kBlock, size - block * kBlock));
    }
  });
}

/// Whether the largest value so far stays the largest.
template <class T>
bool stays(T largest, T other) {
  return other <= largest || std::isnan(largest);
}

}  // namespace

template <class T>
void combine(const Executor& executor, std::int64_t size, double a, const T* x, double b,
             const T* y, double c, T* out) {
  DSNN_ON_GPU(combine(*gpu, size, a, x, b, y, c, out));
  const auto kernel = DSNN_DISPATCH(combination<T>);
  for_pieces(executor, size, [&](std::int64_t begin, std::int64_t count) {
    kernel(count, static_cast<T>(a), x + begin, static_cast<T>(b), y == nullptr ? y : y + begin,
           static_cast<T>(c), out + begin);
  });
}

template <class T>
void multiply(const Executor& executor, std::int64_t size, const T* x, const T* y, T* out) {
  DSNN_ON_GPU(multiply(*gpu, size, x, y, out));
  const auto kernel = DSNN_DISPATCH(product<T>);
  for_pieces(executor, size, [&](std::int64_t begin, std::int64_t count) {
    kernel(count, x + begin, y + begin, out + begin);
  });
}

template <class T>
void scale(const Executor& executor, std::int64_t size, const T* factor, const T* x, T* out) {
  DSNN_ON_GPU(scale(*gpu, size, factor, x, out));
  combine<T>(executor, size, static_cast<double>(*factor), x, 0, nullptr, 0, out);
}

template <class T>
void dot(const Executor& executor, std::int64_t size, const T* x, const T* y, T* result) {
  DSNN_ON_GPU(dot(*gpu, size, x, y, result));
  const auto kernel = DSNN_DISPATCH(dot_product<T>);
  ScratchVector<T> parts(static_cast<std::size_t>((size + kBlock - 1) / kBlock));
  for_pieces(executor, size, [&](std::int64_t begin, std::int64_t count) {
    parts[static_cast<std::size_t>(begin / kBlock)] = kernel(count, x + begin, y + begin);
  });
  double sum = 0;
  for (const T part : parts) sum += static_cast<double>(part);
  *result = static_cast<T>(sum);
}

template <class T>
void maximum(const Executor& executor, std::int64_t size, std::span<const T* const> arrays,
             T* out) {
  DSNN_ON_GPU(maximum(*gpu, size, arrays, out));
  for_pieces(executor, size, [&](std::int64_t begin, std::int64_t count) {
    T* to = out + begin;
    std::copy_n(arrays[0] + begin, count, to);
    for (std::size_t k = 1; k < arrays.size(); ++k) {
      const T* x = arrays[k] + begin;
      for (std::int64_t i = 0; i < count; ++i) to[i] = stays(to[i], x[i]) ? to[i] : x[i];
    }
  });
}

template <class T>
void maximum_backward(const Executor& executor, std::int64_t size, std::span<const T* const> arrays,
                      const T* grad, std::span<T* const> grad_arrays) {
  DSNN_ON_GPU(maximum_backward(*gpu, size, arrays, grad, grad_arrays));
  for_pieces(executor, size, [&](std::int64_t begin, std::int64_t count) {
    for (std::int64_t i = begin; i < begin + count; ++i) {
      std::size_t best = 0;
      for (std::size_t k = 1; k < arrays.size(); ++k) {
        if (!stays(arrays[best][i], arrays[k][i])) best = k;
      }
      for (std::size_t k = 0; k < arrays.size(); ++k) {
        if (grad_arrays[k] == nullptr) continue;
        grad_arrays[k][i] = k == best ? grad[i] : T{0};
      }
    }
  });
}

template <class T>
void apply_function(const Executor& executor, engine::Function function, std::int64_t size,
                    const T* x, T* y) {
  DSNN_ON_GPU(apply_function(*gpu, function, size, x, y));
  const auto kernel = DSNN_DISPATCH(apply<T>);
  for_pieces(executor, size, [&](std::int64_t begin, std::int64_t count) {
    kernel(function, count, x + begin, y + begin);
  });
}

template <class T>
void apply_function_backward(const Executor& executor, engine::Function function, std::int64_t size,
                             const T* x, const T* grad, T* grad_x) {
  DSNN_ON_GPU(apply_function_backward(*gpu, function, size, x, grad, grad_x));
  const auto kernel = DSNN_DISPATCH(apply_slope<T>);
  for_pieces(executor, size, [&](std::int64_t begin, std::int64_t count) {
    kernel(function, count, x + begin, grad + begin, grad_x + begin);
  });
}

#define DSNN_INSTANTIATE(T)                                                                        \
  template void combine(const Executor&, std::int64_t, double, const T*, double, const T*, double, \
                        T*);                                                                       \
  template void multiply(const Executor&, std::int64_t, const T*, const T*, T*);                   \
  template void scale(const Executor&, std::int64_t, const T*, const T*, T*);                      \
  template void dot(const Executor&, std::int64_t, const T*, const T*, T*);                        \
  template void maximum(const Executor&, std::int64_t, std::span<const T* const>, T*);             \
  template void maximum_backward(const Executor&, std::int64_t, std::span<const T* const>,         \
                                 const T*, std::span<T* const>);                                   \
  template void apply_function(const Executor&, engine::Function, std::int64_t, const T*, T*);     \
  template void apply_function_backward(const Executor&, engine::Function, std::int64_t, const T*, \
                                        const T*, T*);
DSNN_INSTANTIATE(float)
DSNN_INSTANTIATE(double)
#undef DSNN_INSTANTIATE

}  // namespace dsnn::kernels
#endif  // HWY_ONCE
