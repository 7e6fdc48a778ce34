#include "kernels/bias_activation.h"
#include "kernels/cuda/kernels.h"
#include "kernels/cuda/math.h"
#include "kernels/cuda/reduce.h"

namespace dsnn::kernels::cuda {

template <class T>
void bias_activation(const Gpu& gpu, std::int64_t rows, std::int64_t columns,
                     StalkActivation activation, const Dropout& dropout, const T* x, const T* bias,
                     T* y) {
  const Drop<T> drop(gpu, dropout);
  for_cells(gpu, rows, columns, [=] DSNN_GPU(std::int64_t row, std::int64_t column) {
    const std::int64_t at = row * columns + column;
    const T z = bias == nullptr ? x[at] : x[at] + bias[column];
    y[at] = drop(at, activate(activation, z, z));
  });
}

template <class T>
void bias_activation_backward(const Gpu& gpu, std::int64_t rows, std::int64_t columns,
                              StalkActivation activation, const Dropout& dropout, const T* x,
                              const T* bias, const T* grad, T* grad_x, T* grad_bias) {
  const Drop<T> drop(gpu, dropout);
  const auto of_x = [=] DSNN_GPU(std::int64_t row, std::int64_t column) {
    const std::int64_t at = row * columns + column;
    const T z = bias == nullptr ? x[at] : x[at] + bias[column];
    grad_x[at] = activate_slope(activation, z, z, drop(at, grad[at]));
    return grad_x[at];
  };
  if (grad_bias != nullptr) return column_sums(gpu, rows, columns, 1, of_x, grad_bias);
  for_cells(gpu, rows, columns,
            [=] DSNN_GPU(std::int64_t row, std::int64_t column) { of_x(row, column); });
}

#define DSNN_INSTANTIATE(T)                                                                       \
  template void bias_activation(const Gpu&, std::int64_t, std::int64_t, StalkActivation,          \
                                const Dropout&, const T*, const T*, T*);                          \
  template void bias_activation_backward(const Gpu&, std::int64_t, std::int64_t, StalkActivation, \
                                         const Dropout&, const T*, const T*, const T*, T*, T*);
DSNN_INSTANTIATE(float)
DSNN_INSTANTIATE(double)
#undef DSNN_INSTANTIATE

}  // namespace dsnn::kernels::cuda
