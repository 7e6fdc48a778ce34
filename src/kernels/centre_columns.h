#pragma once

#include "kernels/executor.h"
#include "util/internal_api.h"

#include <cstdint>

// [eq:centre-columns]. x: [planes, rows, columns]; T is float or double. The same bits for any
// number of threads.
namespace dsnn::kernels {

struct ColumnsShape {
  std::int64_t planes = 1, rows = 0, columns = 0;
  std::int64_t size() const { return planes * rows * columns; }
};

/// y = z + shift with z = (x - mean of the column) / s, s^2 the mean square of x - mean + 1e-12.
/// shift: [planes, columns], or null for 0.
template <class T>
DSNN_INTERNAL_API void centre_columns(const Executor& executor, const ColumnsShape& shape,
                                      const T* x, const T* shift, T* y);

/// grad_x = (grad - mean of the column - z sum(grad z) / size) / s, from x; grad_shift: the sums of
/// grad over rows. Null outputs are skipped.
template <class T>
DSNN_INTERNAL_API void centre_columns_backward(const Executor& executor, const ColumnsShape& shape,
                                               const T* x, const T* grad, T* grad_x, T* grad_shift);

}  // namespace dsnn::kernels
