#include "kernels/cuda/kernels.h"
#include "kernels/cuda/matmul.h"
#include "kernels/cuda/reduce.h"
#include "kernels/linear.h"

#include <type_traits>

namespace dsnn::kernels::cuda {
namespace {

/// put(i, j, sum_k a(i, k) b(k, j)) for few columns: one warp for a row, whose entries are read
/// once, and the whole of b in the memory that a block shares. Returns false, and does nothing, if
/// it does not fit.
template <int kColumns, class T, class A, class B, class Put>
bool narrow_product(const Gpu& gpu, const ProductShape& shape, const A& a, const B& b,
                    const Put& put) {
  constexpr int kThreads = 128, kWarps = kThreads / kWarp, kMostK = 384;
  constexpr std::int64_t kMostBlocks = 528;
  const std::int64_t m = shape.m, n = shape.n, k_count = shape.k;
  if (n > kColumns || k_count > kMostK || m == 0) return false;
  const std::int64_t blocks = std::min(kMostBlocks, (m + kWarps - 1) / kWarps);
  launch_blocks<kThreads>(gpu, {blocks}, [=] DSNN_GPU(const Place& place) {
    T* weights = shared_array<T, kColumns * kMostK>();  // (k, j) at j * kMostK + k
    const int lane = place.thread % kWarp;
#pragma unroll 4
    for (std::int64_t e = place.thread; e < k_count * n; e += kThreads) {
      const std::int64_t k = divide(e, n), j = e - k * n;
      weights[j * kMostK + k] = b(k, j);
    }
    wait_for_block();
    for (std::int64_t i = place.block * kWarps + place.thread / kWarp; i < m;
         i += blocks * kWarps) {
      T sums[kColumns] = {};
#pragma unroll 4
      for (std::int64_t k = lane; k < k_count; k += kWarp) {
        const T x = a(i, k);
        DSNN_UNROLL
        for (int j = 0; j < kColumns; ++j) {
          if (j < n) sums[j] += x * weights[j * kMostK + k];
        }
      }
      const T sum = sum_transposed<kColumns>(sums, lane);
      constexpr int kLanes = kWarp / kColumns;
      if (lane % kLanes == 0 && lane / kLanes < n) {
        put(i, static_cast<std::int64_t>(lane / kLanes), sum);
      }
    }
  });
  return true;
}

}  // namespace

// The planes follow each other: as one product, x is [rows, planes * inputs].
template <class T>
void linear(const Gpu& gpu, const LinearShape& shape, const T* x, const T* weight, const T* bias,
            T* y) {
  const std::int64_t rows = shape.rows, inputs = shape.inputs, outputs = shape.outputs;
  const ProductShape product = {rows, outputs, shape.planes * inputs};
  const auto entry = [=] DSNN_GPU(std::int64_t i, std::int64_t k) {
    return k < inputs ? x[i * inputs + k] : x[(rows + i) * inputs + k - inputs];
  };
  const auto of_weight = [=] DSNN_GPU(std::int64_t k, std::int64_t j) {
    return weight[k * outputs + j];
  };
  const auto put = [=] DSNN_GPU(std::int64_t i, std::int64_t j, T value) {
    y[i * outputs + j] = bias == nullptr ? value : value + bias[j];
  };
  if constexpr (std::is_same_v<T, float>) {
    if (narrow_product<8, T>(gpu, product, entry, of_weight, put)) return;
    if (narrow_product<16, T>(gpu, product, entry, of_weight, put)) return;
  }
  matmul<true, T>(gpu, product, entry, of_weight, put);
}

template <class T>
void linear_backward(const Gpu& gpu, const LinearShape& shape, const T* x, const T* weight,
                     const T* grad, T* grad_x, T* grad_weight, T* grad_bias) {
  const std::int64_t planes = shape.planes, rows = shape.rows, inputs = shape.inputs,
                     outputs = shape.outputs;
  const auto of_x = [&] {
    if (grad_x == nullptr) return;
    matmul<true, T>(
        gpu, {rows, planes * inputs, outputs},
        [=] DSNN_GPU(std::int64_t i, std::int64_t k) { return grad[i * outputs + k]; },
        [=] DSNN_GPU(std::int64_t k, std::int64_t j) { return weight[j * outputs + k]; },
        [=] DSNN_GPU(std::int64_t i, std::int64_t j, T value) {
          const std::int64_t plane = divide(j, inputs);
          grad_x[(plane * rows + i) * inputs + j - plane * inputs] = value;
        });
  };
  const auto of_weight = [&] {
    if (grad_weight == nullptr) return;
    long_product(
        gpu, planes * inputs, outputs, rows,
        [=] DSNN_GPU(std::int64_t i, std::int64_t k) {
          const std::int64_t plane = divide(i, inputs);
          return x[(plane * rows + k) * inputs + i - plane * inputs];
        },
        [=] DSNN_GPU(std::int64_t k, std::int64_t j) { return grad[k * outputs + j]; },
        grad_weight);
  };
  const auto of_bias = [&] {
    if (grad_bias == nullptr) return;
    column_sums(
        gpu, rows, outputs, 1,
        [=] DSNN_GPU(std::int64_t row, std::int64_t j) { return grad[row * outputs + j]; },
        grad_bias);
  };
  in_parallel(gpu, of_x, of_weight, of_bias);
}

#define DSNN_INSTANTIATE(T)                                                                       \
  template void linear(const Gpu&, const LinearShape&, const T*, const T*, const T*, T*);         \
  template void linear_backward(const Gpu&, const LinearShape&, const T*, const T*, const T*, T*, \
                                T*, T*);
DSNN_INSTANTIATE(float)
DSNN_INSTANTIATE(double)
#undef DSNN_INSTANTIATE

}  // namespace dsnn::kernels::cuda
