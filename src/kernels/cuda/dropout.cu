#include "kernels/cuda/kernels.h"
#include "kernels/cuda/math.h"
#include "kernels/dropout.h"

namespace dsnn::kernels::cuda {

template <class T>
void dropout(const Gpu& gpu, std::int64_t size, const Dropout& dropout, const T* x, T* y) {
  const Drop<T> drop(gpu, dropout);
  for_each(gpu, size, [=] DSNN_GPU(std::int64_t i) { y[i] = drop(i, x[i]); });
}

template void dropout(const Gpu&, std::int64_t, const Dropout&, const float*, float*);
template void dropout(const Gpu&, std::int64_t, const Dropout&, const double*, double*);

}  // namespace dsnn::kernels::cuda
