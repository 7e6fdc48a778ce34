#include "kernels/centre_columns.h"

#include "kernels/cuda/dispatch.h"
#include "kernels/reduce_blocks.h"
#include "kernels/scratch.h"

#include <algorithm>
#include <array>
#include <cmath>

// Plain loops: one pass over the features of nodes in an epoch costs little beside the decoder. All
// sums are in double, first over a block of rows, then over the blocks in order.

namespace dsnn::kernels {
namespace {

/// Calls work(row, sums) for every row of every plane, rows numbered through; the sums of the
/// blocks, `size` each, are added up.
template <class Work>
void sum_rows(const Executor& executor, std::int64_t rows, std::int64_t size, double* total,
              const Work& work) {
  const ReduceBlocks blocks(rows);
  ScratchVector<double> partial(static_cast<std::size_t>(blocks.count() * size));
  run_blocks(executor, blocks.count(), [&](BlockQueue& queue) {
    for (std::int64_t block; queue.take(block);) {
      for (std::int64_t row = blocks.begin(block); row < blocks.end(block); ++row) {
        work(row, partial.data() + block * size);
      }
    }
  });
  add_blocks(executor, partial.data(), blocks.count(), size, total);
}

/// The means of the columns of every plane: [planes, columns].
template <class T>
void column_means(const Executor& executor, const ColumnsShape& shape, const T* x,
                  ScratchVector<double>& means) {
  means.resize(static_cast<std::size_t>(shape.planes * shape.columns));
  for (std::int64_t plane = 0; plane < shape.planes; ++plane) {
    const T* from = x + plane * shape.rows * shape.columns;
    double* to = means.data() + plane * shape.columns;
    sum_rows(executor, shape.rows, shape.columns, to, [&](std::int64_t row, double* sums) {
      for (std::int64_t c = 0; c < shape.columns; ++c) {
        sums[c] += static_cast<double>(from[row * shape.columns + c]);
      }
    });
    for (std::int64_t c = 0; c < shape.columns; ++c) to[c] /= static_cast<double>(shape.rows);
  }
}

/// The sum over all elements of term(index, mean of its column). Each block is one chain of
/// additions, so several are added together.
template <class Term>
double sum_all(const Executor& executor, const ColumnsShape& shape,
               const ScratchVector<double>& means, const Term& term) {
  constexpr std::int64_t kTogether = 4;
  const ReduceBlocks blocks(shape.planes * shape.rows);
  ScratchVector<double> partial(static_cast<std::size_t>(blocks.count()));
  const auto add_row = [&](std::int64_t row, double& sum) {
    const double* of_columns = means.data() + row / shape.rows * shape.columns;
    for (std::int64_t c = 0; c < shape.columns; ++c) {
      sum += term(row * shape.columns + c, of_columns[c]);
    }
  };
  const auto add_rows = [&](const std::array<std::int64_t, kTogether>& rows, double* sums) {
    std::array<const double*, kTogether> of_columns;
    for (std::size_t k = 0; k < kTogether; ++k) {
      of_columns[k] = means.data() + rows[k] / shape.rows * shape.columns;
    }
    for (std::int64_t c = 0; c < shape.columns; ++c) {
      for (std::size_t k = 0; k < kTogether; ++k) {
        sums[k] += term(rows[k] * shape.columns + c, of_columns[k][c]);
      }
    }
  };
  run_blocks(executor, (blocks.count() + kTogether - 1) / kTogether, [&](BlockQueue& queue) {
    for (std::int64_t group; queue.take(group);) {
      const std::int64_t first = group * kTogether;
      const std::int64_t count = std::min(kTogether, blocks.count() - first);
      std::array<double, kTogether> sums = {};
      std::int64_t row = 0;  // within the blocks
      const std::int64_t shortest = blocks.end(first + count - 1) - blocks.begin(first + count - 1);
      for (; count == kTogether && row < shortest; ++row) {
        std::array<std::int64_t, kTogether> rows;
        for (std::int64_t k = 0; k < kTogether; ++k) {
          rows[static_cast<std::size_t>(k)] = blocks.begin(first + k) + row;
        }
        add_rows(rows, sums.data());
      }
      for (std::int64_t k = 0; k < count; ++k) {
        double& sum = sums[static_cast<std::size_t>(k)];
        for (std::int64_t r = blocks.begin(first + k) + row; r < blocks.end(first + k); ++r) {
          add_row(r, sum);
        }
        partial[static_cast<std::size_t>(first + k)] = sum;
      }
    }
  });
  double total = 0;
  add_blocks(executor, partial.data(), blocks.count(), std::int64_t{1}, &total);
  return total;
}

/// s
template <class T>
double spread(const Executor& executor, const ColumnsShape& shape,
              const ScratchVector<double>& means, const T* x) {
  constexpr double kLeast = 1e-12;
  const double sum = sum_all(executor, shape, means, [&](std::int64_t i, double mean) {
    const double centred = static_cast<double>(x[i]) - mean;
    return centred * centred;
  });
  return std::sqrt(sum / static_cast<double>(std::max<std::int64_t>(shape.size(), 1)) + kLeast);
}

template <class Work>
void for_rows(const Executor& executor, std::int64_t rows, const Work& work) {
  const ReduceBlocks blocks(rows);
  run_blocks(executor, blocks.count(), [&](BlockQueue& queue) {
    for (std::int64_t block; queue.take(block);) {
      for (std::int64_t row = blocks.begin(block); row < blocks.end(block); ++row) work(row);
    }
  });
}

}  // namespace

template <class T>
void centre_columns(const Executor& executor, const ColumnsShape& shape, const T* x, const T* shift,
                    T* y) {
  DSNN_ON_GPU(centre_columns(*gpu, shape, x, shift, y));
  ScratchVector<double> means;
  column_means(executor, shape, x, means);
  const double s = spread(executor, shape, means, x);
  for_rows(executor, shape.planes * shape.rows, [&](std::int64_t row) {
    const std::int64_t first = row / shape.rows * shape.columns;  // of the plane's columns
    for (std::int64_t c = 0; c < shape.columns; ++c) {
      const std::int64_t i = row * shape.columns + c;
      const double z = (static_cast<double>(x[i]) - means[static_cast<std::size_t>(first + c)]) / s;
      y[i] = static_cast<T>(shift == nullptr ? z : z + static_cast<double>(shift[first + c]));
    }
  });
}

template <class T>
void centre_columns_backward(const Executor& executor, const ColumnsShape& shape, const T* x,
                             const T* grad, T* grad_x, T* grad_shift) {
  DSNN_ON_GPU(centre_columns_backward(*gpu, shape, x, grad, grad_x, grad_shift));
  ScratchVector<double> means, grad_means;
  column_means(executor, shape, grad, grad_means);
  if (grad_shift != nullptr) {
    for (std::size_t c = 0; c < grad_means.size(); ++c) {
      grad_shift[c] = static_cast<T>(grad_means[c] * static_cast<double>(shape.rows));
    }
  }
  if (grad_x == nullptr) return;
  column_means(executor, shape, x, means);
  const double s = spread(executor, shape, means, x);
  const double product = sum_all(executor, shape, means, [&](std::int64_t i, double mean) {
    return static_cast<double>(grad[i]) * (static_cast<double>(x[i]) - mean);
  });
  // sum(grad z) / size = product / (s size), and z = (x - mean) / s
  const double factor = product / (s * s * static_cast<double>(shape.size()));
  for_rows(executor, shape.planes * shape.rows, [&](std::int64_t row) {
    const double* of_columns = means.data() + row / shape.rows * shape.columns;
    const double* of_grad = grad_means.data() + row / shape.rows * shape.columns;
    for (std::int64_t c = 0; c < shape.columns; ++c) {
      const std::int64_t i = row * shape.columns + c;
      const double centred = static_cast<double>(x[i]) - of_columns[c];
      const double g = static_cast<double>(grad[i]) - of_grad[c];
      grad_x[i] = static_cast<T>((g - factor * centred) / s);
    }
  });
}

#define DSNN_INSTANTIATE(T)                                                                       \
  template void centre_columns(const Executor&, const ColumnsShape&, const T*, const T*, T*);     \
  template void centre_columns_backward(const Executor&, const ColumnsShape&, const T*, const T*, \
                                        T*, T*);
DSNN_INSTANTIATE(float)
DSNN_INSTANTIATE(double)
#undef DSNN_INSTANTIATE

}  // namespace dsnn::kernels
