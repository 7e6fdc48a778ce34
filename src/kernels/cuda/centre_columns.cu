#include "kernels/centre_columns.h"
#include "kernels/cuda/kernels.h"
#include "kernels/cuda/math.h"
#include "kernels/cuda/reduce.h"

namespace dsnn::kernels::cuda {

/// Of element i, among the columns of all planes.
DSNN_GPU_INLINE std::int64_t column_of(std::int64_t i, std::int64_t plane_size,
                                       std::int64_t columns) {
  return divide(i, plane_size) * columns + i - divide(i, columns) * columns;
}

/// The means of the columns of every plane: [planes, columns].
template <class T>
double* means_of_columns(const Gpu& gpu, const ColumnsShape& shape, const T* x) {
  const std::int64_t columns = shape.columns;
  auto* means = static_cast<double*>(
      gpu.scratch(static_cast<std::size_t>(shape.planes * columns) * sizeof(double)));
  for (std::int64_t plane = 0; plane < shape.planes; ++plane) {
    const T* from = x + plane * shape.rows * columns;
    column_sums(
        gpu, shape.rows, columns, 1,
        [=] DSNN_GPU(std::int64_t row, std::int64_t column) {
          return from[row * columns + column];
        },
        means + plane * columns, 1 / static_cast<double>(shape.rows));
  }
  return means;
}

/// *result = the mean over all elements of (x - mean) y, where y is x - mean or another array.
template <class T>
double* mean_product(const Gpu& gpu, const ColumnsShape& shape, const T* x, const double* means,
                     const T* y) {
  const std::int64_t columns = shape.columns, plane_size = shape.rows * columns;
  auto* result = static_cast<double*>(gpu.scratch(sizeof(double)));
  sum_all(
      gpu, shape.size(),
      [=] DSNN_GPU(std::int64_t i) {
        const double centred = static_cast<double>(x[i]) - means[column_of(i, plane_size, columns)];
        return centred * (y == nullptr ? centred : static_cast<double>(y[i]));
      },
      result, 1 / static_cast<double>(shape.size()));
  return result;
}

template <class T>
void centre_columns(const Gpu& gpu, const ColumnsShape& shape, const T* x, const T* shift, T* y) {
  const std::int64_t columns = shape.columns, plane_size = shape.rows * columns;
  const double* means = means_of_columns(gpu, shape, x);
  const double* square = mean_product<T>(gpu, shape, x, means, nullptr);
  for_each(gpu, shape.size(), [=] DSNN_GPU(std::int64_t i) {
    const std::int64_t column = column_of(i, plane_size, columns);
    const double z = (static_cast<double>(x[i]) - means[column]) / root_of(*square + 1e-12);
    y[i] = static_cast<T>(shift == nullptr ? z : z + static_cast<double>(shift[column]));
  });
}

template <class T>
void centre_columns_backward(const Gpu& gpu, const ColumnsShape& shape, const T* x, const T* grad,
                             T* grad_x, T* grad_shift) {
  const std::int64_t columns = shape.columns, plane_size = shape.rows * columns;
  const auto rows = static_cast<double>(shape.rows);
  const double* grad_means = means_of_columns(gpu, shape, grad);
  if (grad_shift != nullptr) {
    for_each(gpu, shape.planes * columns, [=] DSNN_GPU(std::int64_t c) {
      grad_shift[c] = static_cast<T>(grad_means[c] * rows);
    });
  }
  if (grad_x == nullptr) return;
  const double* means = means_of_columns(gpu, shape, x);
  const double* square = mean_product<T>(gpu, shape, x, means, nullptr);
  const double* product = mean_product(gpu, shape, x, means, grad);
  for_each(gpu, shape.size(), [=] DSNN_GPU(std::int64_t i) {
    const std::int64_t column = column_of(i, plane_size, columns);
    const double s = root_of(*square + 1e-12);
    const double centred = static_cast<double>(x[i]) - means[column];
    const double g = static_cast<double>(grad[i]) - grad_means[column];
    grad_x[i] = static_cast<T>((g - *product / (s * s) * centred) / s);
  });
}

#define DSNN_INSTANTIATE(T)                                                                      \
  template void centre_columns(const Gpu&, const ColumnsShape&, const T*, const T*, T*);         \
  template void centre_columns_backward(const Gpu&, const ColumnsShape&, const T*, const T*, T*, \
                                        T*);
DSNN_INSTANTIATE(float)
DSNN_INSTANTIATE(double)
#undef DSNN_INSTANTIATE

}  // namespace dsnn::kernels::cuda
