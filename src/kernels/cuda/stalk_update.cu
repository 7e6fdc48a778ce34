#include "kernels/cuda/kernels.h"
#include "kernels/cuda/math.h"
#include "kernels/cuda/reduce.h"
#include "kernels/stalk_update.h"

namespace dsnn::kernels::cuda {

template <class T>
void stalk_update(const Gpu& gpu, const StalkShape& shape, StalkActivation activation, const T* x,
                  const T* y, const T* eps, T* out) {
  const std::int64_t size = shape.plane_size(), channels = shape.channels;
  const std::int64_t node_size = shape.node_size(), planes = shape.planes;
  for_cells(gpu, shape.nodes, node_size, [=] DSNN_GPU(std::int64_t node, std::int64_t k) {
    const std::int64_t at = node * node_size + k;
    const T scale = 1 + eps[divide(k, channels)], real = y[at];
    const T imag = planes == 2 ? y[size + at] : T{0};
    out[at] = scale * x[at] - activate(activation, real, real);
    if (planes == 2) out[size + at] = scale * x[size + at] - activate(activation, real, imag);
  });
}

template <class T>
void stalk_update_backward(const Gpu& gpu, const StalkShape& shape, StalkActivation activation,
                           const T* x, const T* y, const T* eps, const T* grad, T* grad_x,
                           T* grad_y, T* grad_eps) {
  const std::int64_t size = shape.plane_size(), channels = shape.channels;
  const std::int64_t node_size = shape.node_size(), planes = shape.planes;
  // Every place is read and written by one term of the sum.
  column_sums(
      gpu, shape.nodes, node_size, channels,
      [=] DSNN_GPU(std::int64_t node, std::int64_t k) {
        const T scale = 1 + eps[divide(k, channels)];
        const T real = y[node * node_size + k];
        double sum = 0;
        for (std::int64_t plane = 0; plane < planes; ++plane) {
          const std::int64_t at = plane * size + node * node_size + k;
          const T g = grad[at];
          sum += static_cast<double>(g) * x[at];
          grad_y[at] = -activate_slope(activation, real, y[at], g);
          grad_x[at] = scale * g;
        }
        return sum;
      },
      grad_eps);
}

#define DSNN_INSTANTIATE(T)                                                                      \
  template void stalk_update(const Gpu&, const StalkShape&, StalkActivation, const T*, const T*, \
                             const T*, T*);                                                      \
  template void stalk_update_backward(const Gpu&, const StalkShape&, StalkActivation, const T*,  \
                                      const T*, const T*, const T*, T*, T*, T*);
DSNN_INSTANTIATE(float)
DSNN_INSTANTIATE(double)
#undef DSNN_INSTANTIATE

}  // namespace dsnn::kernels::cuda
