#include "kernels/cuda/kernels.h"
#include "kernels/cuda/matmul.h"
#include "kernels/cuda/reduce.h"
#include "kernels/linear.h"

namespace dsnn::kernels::cuda {

// The planes follow each other: as one product, x is [rows, planes * inputs].
template <class T>
void linear(const Gpu& gpu, const LinearShape& shape, const T* x, const T* weight, const T* bias,
            T* y) {
  const std::int64_t rows = shape.rows, inputs = shape.inputs, outputs = shape.outputs;
  matmul<true, T>(
      gpu, {rows, outputs, shape.planes * inputs},
      [=] DSNN_GPU(std::int64_t i, std::int64_t k) {
        return k < inputs ? x[i * inputs + k] : x[(rows + i) * inputs + k - inputs];
      },
      [=] DSNN_GPU(std::int64_t k, std::int64_t j) { return weight[k * outputs + j]; },
      [=] DSNN_GPU(int, std::int64_t i, std::int64_t j, T value) {
        y[i * outputs + j] = bias == nullptr ? value : value + bias[j];
      });
}

template <class T>
void linear_backward(const Gpu& gpu, const LinearShape& shape, const T* x, const T* weight,
                     const T* grad, T* grad_x, T* grad_weight, T* grad_bias) {
  const std::int64_t planes = shape.planes, rows = shape.rows, inputs = shape.inputs,
                     outputs = shape.outputs;
  if (grad_x != nullptr) {
    matmul<true, T>(
        gpu, {rows, planes * inputs, outputs},
        [=] DSNN_GPU(std::int64_t i, std::int64_t k) { return grad[i * outputs + k]; },
        [=] DSNN_GPU(std::int64_t k, std::int64_t j) { return weight[j * outputs + k]; },
        [=] DSNN_GPU(int, std::int64_t i, std::int64_t j, T value) {
          grad_x[(j / inputs * rows + i) * inputs + j % inputs] = value;
        });
  }
  if (grad_weight != nullptr) {
    long_product(
        gpu, planes * inputs, outputs, rows,
        [=] DSNN_GPU(std::int64_t i, std::int64_t k) {
          return x[(i / inputs * rows + k) * inputs + i % inputs];
        },
        [=] DSNN_GPU(std::int64_t k, std::int64_t j) { return grad[k * outputs + j]; },
        grad_weight);
  }
  if (grad_bias == nullptr) return;
  column_sums(
      gpu, rows, outputs, 1,
      [=] DSNN_GPU(std::int64_t row, std::int64_t j) { return grad[row * outputs + j]; },
      grad_bias);
}

#define DSNN_INSTANTIATE(T)                                                                       \
  template void linear(const Gpu&, const LinearShape&, const T*, const T*, const T*, T*);         \
  template void linear_backward(const Gpu&, const LinearShape&, const T*, const T*, const T*, T*, \
                                T*, T*);
DSNN_INSTANTIATE(float)
DSNN_INSTANTIATE(double)
#undef DSNN_INSTANTIATE

}  // namespace dsnn::kernels::cuda
