#include "kernels/cuda/graph.h"
#include "kernels/cuda/kernels.h"
#include "kernels/cuda/math.h"
#include "kernels/cuda/reduce.h"
#include "kernels/softmax.h"

namespace dsnn::kernels::cuda {
namespace {

/// The largest of a row and the sum of exp(x - largest), in double.
template <class T>
DSNN_GPU_INLINE void row_scale(const T* row, std::int64_t size, double& largest, double& sum) {
  largest = static_cast<double>(row[0]);
  for (std::int64_t j = 1; j < size; ++j) {
    const auto x = static_cast<double>(row[j]);
    if (x > largest) largest = x;
  }
  sum = 0;
  for (std::int64_t j = 0; j < size; ++j) sum += exp(static_cast<double>(row[j]) - largest);
}

}  // namespace

template <class T>
void softmax(const Gpu& gpu, std::int64_t size, const T* x, T* y) {
  for_each(gpu, size, [=] DSNN_GPU(std::int64_t i) {
    double largest, sum;
    row_scale(x, size, largest, sum);
    y[i] = static_cast<T>(exp(static_cast<double>(x[i]) - largest) / sum);
  });
}

template <class T>
void softmax_backward(const Gpu& gpu, std::int64_t size, const T* y, const T* grad, T* grad_x) {
  for_each(gpu, size, [=] DSNN_GPU(std::int64_t i) {
    double dot = 0;
    for (std::int64_t j = 0; j < size; ++j) dot += static_cast<double>(y[j]) * grad[j];
    grad_x[i] = static_cast<T>(y[i] * (grad[i] - dot));
  });
}

template <class T>
void cross_entropy(const Gpu& gpu, const LabelledNodes& nodes, const T* logits, T* loss) {
  const std::int64_t* listed = mirror(gpu, nodes.nodes, nodes.count);
  const std::int64_t* labels = mirror(gpu, nodes.labels, nodes.num_nodes);
  const std::int64_t classes = nodes.classes;
  sum_all(
      gpu, nodes.count,
      [=] DSNN_GPU(std::int64_t i) {
        const T* row = logits + listed[i] * classes;
        double largest, sum;
        row_scale(row, classes, largest, sum);
        return largest + log(sum) - static_cast<double>(row[labels[listed[i]]]);
      },
      loss, 1 / static_cast<double>(nodes.total));
}

template <class T>
void cross_entropy_backward(const Gpu& gpu, const LabelledNodes& nodes, const T* logits,
                            const T* grad, T* grad_logits) {
  const std::int64_t* labels = mirror(gpu, nodes.labels, nodes.num_nodes);
  const std::int64_t* occurrences = mirror(gpu, nodes.occurrences, nodes.num_nodes);
  const std::int64_t classes = nodes.classes;
  const auto count = static_cast<double>(nodes.total);
  for_each(gpu, nodes.num_nodes, [=] DSNN_GPU(std::int64_t u) {
    const T* row = logits + u * classes;
    T* to = grad_logits + u * classes;
    const auto times = static_cast<double>(occurrences[u]);
    double largest = 0, sum = 1;
    if (times > 0) row_scale(row, classes, largest, sum);
    const double factor = times * static_cast<double>(*grad) / count;
    for (std::int64_t j = 0; j < classes; ++j) {
      if (times == 0) {
        to[j] = 0;
        continue;
      }
      const double share = exp(static_cast<double>(row[j]) - largest) / sum;
      to[j] = static_cast<T>(factor * (j == labels[u] ? share - 1 : share));
    }
  });
}

#define DSNN_INSTANTIATE(T)                                                         \
  template void softmax(const Gpu&, std::int64_t, const T*, T*);                    \
  template void softmax_backward(const Gpu&, std::int64_t, const T*, const T*, T*); \
  template void cross_entropy(const Gpu&, const LabelledNodes&, const T*, T*);      \
  template void cross_entropy_backward(const Gpu&, const LabelledNodes&, const T*, const T*, T*);
DSNN_INSTANTIATE(float)
DSNN_INSTANTIATE(double)
#undef DSNN_INSTANTIATE

}  // namespace dsnn::kernels::cuda
