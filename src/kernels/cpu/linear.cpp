#include "kernels/linear.h"

#include "kernels/cuda/dispatch.h"
#include "kernels/reduce_blocks.h"
#include "kernels/scratch.h"

#include <algorithm>
#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/linear.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// After foreach_target: these are compiled once for each instruction set.
#include "kernels/cpu/dispatch.h"
#include "kernels/cpu/matmul-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dsnn::kernels::HWY_NAMESPACE {
namespace {

/// Rows begin .. end-1 of y.
template <class T>
void forward(const LinearShape& shape, std::int64_t begin, std::int64_t end, const T* x,
             const T* weight, const T* bias, T* y) {
  const auto [planes, rows, inputs, outputs] = shape;
  for (std::int64_t i = begin; i < end && bias != nullptr; ++i) {
    std::copy_n(bias, outputs, y + i * outputs);
  }
  for (std::int64_t p = 0; p < planes; ++p) {
    const Factor<T> a = {x + (p * rows + begin) * inputs, inputs, 1};
    matmul(end - begin, inputs, outputs, a, weight + p * inputs * outputs, outputs,
           y + begin * outputs, outputs, p > 0 || bias != nullptr);
  }
}

/// The same rows of grad_x; `transposed` is W_p^T, [planes, outputs, inputs].
template <class T>
void backward_x(const LinearShape& shape, std::int64_t begin, std::int64_t end, const T* transposed,
                const T* grad, T* grad_x) {
  const auto [planes, rows, inputs, outputs] = shape;
  for (std::int64_t p = 0; p < planes; ++p) {
    const Factor<T> a = {grad + begin * outputs, outputs, 1};
    matmul(end - begin, outputs, inputs, a, transposed + p * inputs * outputs, inputs,
           grad_x + (p * rows + begin) * inputs, inputs, false);
  }
}

/// What these rows add to grad_weight.
template <class T>
void backward_weight(const LinearShape& shape, std::int64_t begin, std::int64_t end, const T* x,
                     const T* grad, T* partial) {
  const auto [planes, rows, inputs, outputs] = shape;
  for (std::int64_t p = 0; p < planes; ++p) {
    const Factor<T> a = {x + (p * rows + begin) * inputs, 1, inputs};
    matmul(inputs, end - begin, outputs, a, grad + begin * outputs, outputs,
           partial + p * inputs * outputs, outputs, false);
  }
}

}  // namespace
}  // namespace dsnn::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dsnn::kernels {
namespace {

constexpr std::int64_t kBlockRows = 64;

/// Calls work(begin, end) for blocks of rows.
template <class Work>
void for_row_blocks(const Executor& executor, std::int64_t rows, const Work& work) {
  run_blocks(executor, (rows + kBlockRows - 1) / kBlockRows, [&](BlockQueue& queue) {
    for (std::int64_t block; queue.take(block);) {
      work(block * kBlockRows, std::min(rows, (block + 1) * kBlockRows));
    }
  });
}

template <class T>
ScratchVector<T> transpose_planes(const LinearShape& shape, const T* weight) {
  const auto [planes, rows, inputs, outputs] = shape;
  ScratchVector<T> transposed(static_cast<std::size_t>(planes * inputs * outputs));
  for (std::int64_t p = 0; p < planes; ++p) {
    const T* from = weight + p * inputs * outputs;
    T* to = transposed.data() + p * inputs * outputs;
    for (std::int64_t i = 0; i < inputs; ++i) {
      for (std::int64_t j = 0; j < outputs; ++j) to[j * inputs + i] = from[i * outputs + j];
    }
  }
  return transposed;
}

}  // namespace

template <class T>
void linear(const Executor& executor, const LinearShape& shape, const T* x, const T* weight,
            const T* bias, T* y) {
  DSNN_ON_GPU(linear(*gpu, shape, x, weight, bias, y));
  const auto kernel = DSNN_DISPATCH(forward<T>);
  for_row_blocks(executor, shape.rows, [&](std::int64_t begin, std::int64_t end) {
    kernel(shape, begin, end, x, weight, bias, y);
  });
}

template <class T>
void linear_backward(const Executor& executor, const LinearShape& shape, const T* x,
                     const T* weight, const T* grad, T* grad_x, T* grad_weight, T* grad_bias) {
  DSNN_ON_GPU(linear_backward(*gpu, shape, x, weight, grad, grad_x, grad_weight, grad_bias));
  const auto [planes, rows, inputs, outputs] = shape;
  if (grad_x != nullptr) {
    const ScratchVector<T> transposed = transpose_planes(shape, weight);
    const auto kernel = DSNN_DISPATCH(backward_x<T>);
    for_row_blocks(executor, rows, [&](std::int64_t begin, std::int64_t end) {
      kernel(shape, begin, end, transposed.data(), grad, grad_x);
    });
  }
  const ReduceBlocks blocks(rows);
  if (grad_weight != nullptr) {
    const std::int64_t size = planes * inputs * outputs;
    ScratchVector<T> partial(static_cast<std::size_t>(blocks.count() * size));
    const auto kernel = DSNN_DISPATCH(backward_weight<T>);
    run_blocks(executor, blocks.count(), [&](BlockQueue& queue) {
      for (std::int64_t block; queue.take(block);) {
        kernel(shape, blocks.begin(block), blocks.end(block), x, grad,
               partial.data() + block * size);
      }
    });
    add_blocks(executor, partial.data(), blocks.count(), size, grad_weight);
  }
  if (grad_bias != nullptr) {
    ScratchVector<double> sums(static_cast<std::size_t>(outputs), 0);
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t j = 0; j < outputs; ++j) {
        sums[static_cast<std::size_t>(j)] += static_cast<double>(grad[i * outputs + j]);
      }
    }
    std::copy(sums.begin(), sums.end(), grad_bias);
  }
}

#define DSNN_INSTANTIATE(T)                                                                        \
  template void linear(const Executor&, const LinearShape&, const T*, const T*, const T*, T*);     \
  template void linear_backward(const Executor&, const LinearShape&, const T*, const T*, const T*, \
                                T*, T*, T*);
DSNN_INSTANTIATE(float)
DSNN_INSTANTIATE(double)
#undef DSNN_INSTANTIATE

}  // namespace dsnn::kernels
#endif  // HWY_ONCE
