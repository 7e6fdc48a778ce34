#include "kernels/binary_cross_entropy.h"
#include "kernels/cuda/graph.h"
#include "kernels/cuda/kernels.h"
#include "kernels/cuda/math.h"
#include "kernels/cuda/reduce.h"

namespace dsnn::kernels::cuda {

template <class T>
void binary_cross_entropy(const Gpu& gpu, std::int64_t size, const T* x, const T* given_signs,
                          T* loss) {
  const T* signs = mirror(gpu, given_signs, size);
  sum_all(
      gpu, size,
      [=] DSNN_GPU(std::int64_t i) {
        const T t = signs[i] * x[i];
        return (t < 0 ? T{0} : t) + log1p_of(exp_of(t < 0 ? t : -t));
      },
      loss, 1 / static_cast<double>(size));
}

template <class T>
void binary_cross_entropy_backward(const Gpu& gpu, std::int64_t size, const T* x,
                                   const T* given_signs, const T* grad, T* grad_x) {
  const T* signs = mirror(gpu, given_signs, size);
  const auto count = static_cast<T>(size);
  for_each(gpu, size, [=] DSNN_GPU(std::int64_t i) {
    grad_x[i] = *grad / count * signs[i] * sigmoid_of(signs[i] * x[i]);
  });
}

#define DSNN_INSTANTIATE(T)                                                                 \
  template void binary_cross_entropy(const Gpu&, std::int64_t, const T*, const T*, T*);     \
  template void binary_cross_entropy_backward(const Gpu&, std::int64_t, const T*, const T*, \
                                              const T*, T*);
DSNN_INSTANTIATE(float)
DSNN_INSTANTIATE(double)
#undef DSNN_INSTANTIATE

}  // namespace dsnn::kernels::cuda
