#include "kernels/cuda/kernels.h"
#include "kernels/cuda/math.h"
#include "kernels/cuda/reduce.h"
#include "kernels/elementwise.h"

namespace dsnn::kernels::cuda {
namespace {

using engine::Function;

constexpr double kSlope = 0.2;  // of the leaky ReLU

template <class T>
DSNN_GPU_INLINE T value_of(Function function, T x) {
  switch (function) {
    case Function::kRelu:
      return x < 0 ? T{0} : x;
    case Function::kLeakyRelu:
      return x < 0 ? static_cast<T>(kSlope) * x : x;
    case Function::kElu:
      return x < 0 ? expm1_of(x) : x;
    case Function::kTanh:
      return tanh_of(x);
    case Function::kSoftplus:
      break;
  }
  const T size = x < 0 ? -x : x;
  return (x < 0 ? T{0} : x) + log1p_of(exp_of(-size));
}

/// f'(x) g
template <class T>
DSNN_GPU_INLINE T slope_of(Function function, T x, T g) {
  switch (function) {
    case Function::kRelu:
      return x > 0 ? g : T{0};
    case Function::kLeakyRelu:
      return x > 0 ? g : static_cast<T>(kSlope) * g;
    case Function::kElu:
      return x < 0 ? g * exp_of(x) : g;
    case Function::kTanh: {
      const T y = tanh_of(x);
      return g * (1 - y * y);
    }
    case Function::kSoftplus:
      break;
  }
  return g * sigmoid_of(x);
}

/// Addresses that a kernel takes by value.
template <class T>
struct Arrays {
  static constexpr std::size_t kMost = 64;
  T* data[kMost];
  int count;
  explicit Arrays(std::span<T* const> arrays) : count(static_cast<int>(arrays.size())) {
    std::copy(arrays.begin(), arrays.end(), data);
  }
};

template <class T>
DSNN_GPU_INLINE bool stays(T largest, T other) {
  return other <= largest || largest != largest;
}

}  // namespace

template <class T>
void combine(const Gpu& gpu, std::int64_t size, double a, const T* x, double b, const T* y,
             double c, T* out) {
  const T p = static_cast<T>(a), q = static_cast<T>(b), r = static_cast<T>(c);
  for_each(gpu, size, [=] DSNN_GPU(std::int64_t i) {
    T sum = p * x[i];
    if (y != nullptr) sum += q * y[i];
    out[i] = sum + r;
  });
}

template <class T>
void multiply(const Gpu& gpu, std::int64_t size, const T* x, const T* y, T* out) {
  for_each(gpu, size, [=] DSNN_GPU(std::int64_t i) { out[i] = x[i] * y[i]; });
}

template <class T>
void scale(const Gpu& gpu, std::int64_t size, const T* factor, const T* x, T* out) {
  for_each(gpu, size, [=] DSNN_GPU(std::int64_t i) { out[i] = *factor * x[i]; });
}

template <class T>
void dot(const Gpu& gpu, std::int64_t size, const T* x, const T* y, T* sum) {
  sum_all(
      gpu, size, [=] DSNN_GPU(std::int64_t i) { return x[i] * y[i]; }, sum);
}

template <class T>
void maximum(const Gpu& gpu, std::int64_t size, std::span<const T* const> arrays, T* out) {
  const Arrays<const T> from(arrays);
  for_each(gpu, size, [=] DSNN_GPU(std::int64_t i) {
    T largest = from.data[0][i];
    for (int k = 1; k < from.count; ++k) {
      const T x = from.data[k][i];
      largest = stays(largest, x) ? largest : x;
    }
    out[i] = largest;
  });
}

template <class T>
void maximum_backward(const Gpu& gpu, std::int64_t size, std::span<const T* const> arrays,
                      const T* grad, std::span<T* const> grad_arrays) {
  const Arrays<const T> from(arrays);
  const Arrays<T> to(grad_arrays);
  for_each(gpu, size, [=] DSNN_GPU(std::int64_t i) {
    int best = 0;
    for (int k = 1; k < from.count; ++k) {
      if (!stays(from.data[best][i], from.data[k][i])) best = k;
    }
    for (int k = 0; k < to.count; ++k) {
      if (to.data[k] != nullptr) to.data[k][i] = k == best ? grad[i] : T{0};
    }
  });
}

template <class T>
void apply_function(const Gpu& gpu, engine::Function function, std::int64_t size, const T* x,
                    T* y) {
  for_each(gpu, size, [=] DSNN_GPU(std::int64_t i) { y[i] = value_of(function, x[i]); });
}

template <class T>
void apply_function_backward(const Gpu& gpu, engine::Function function, std::int64_t size,
                             const T* x, const T* grad, T* grad_x) {
  for_each(gpu, size,
           [=] DSNN_GPU(std::int64_t i) { grad_x[i] = slope_of(function, x[i], grad[i]); });
}

#define DSNN_INSTANTIATE(T)                                                                        \
  template void combine(const Gpu&, std::int64_t, double, const T*, double, const T*, double, T*); \
  template void multiply(const Gpu&, std::int64_t, const T*, const T*, T*);                        \
  template void scale(const Gpu&, std::int64_t, const T*, const T*, T*);                           \
  template void dot(const Gpu&, std::int64_t, const T*, const T*, T*);                             \
  template void maximum(const Gpu&, std::int64_t, std::span<const T* const>, T*);                  \
  template void maximum_backward(const Gpu&, std::int64_t, std::span<const T* const>, const T*,    \
                                 std::span<T* const>);                                             \
  template void apply_function(const Gpu&, engine::Function, std::int64_t, const T*, T*);          \
  template void apply_function_backward(const Gpu&, engine::Function, std::int64_t, const T*,      \
                                        const T*, T*);
DSNN_INSTANTIATE(float)
DSNN_INSTANTIATE(double)
#undef DSNN_INSTANTIATE

}  // namespace dsnn::kernels::cuda
