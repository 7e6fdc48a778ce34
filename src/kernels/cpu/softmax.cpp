#include "kernels/softmax.h"

#include "kernels/cuda/dispatch.h"
#include "kernels/scratch.h"
#include "util/log_sum_exp.h"

#include <algorithm>

// One exponential per node and class, or a few values: one thread, sums in order.
namespace dsnn::kernels {

template <class T>
void softmax([[maybe_unused]] const Executor& executor, std::int64_t size, const T* x, T* y) {
  DSNN_ON_GPU(softmax(*gpu, size, x, y));
  ScratchVector<double> result(static_cast<std::size_t>(size));
  softmax_of(x, size, result.data());
  for (std::int64_t i = 0; i < size; ++i) {
    y[i] = static_cast<T>(result[static_cast<std::size_t>(i)]);
  }
}

template <class T>
void softmax_backward([[maybe_unused]] const Executor& executor, std::int64_t size, const T* y,
                      const T* grad, T* grad_x) {
  DSNN_ON_GPU(softmax_backward(*gpu, size, y, grad, grad_x));
  double dot = 0;
  for (std::int64_t i = 0; i < size; ++i) dot += static_cast<double>(y[i]) * grad[i];
  for (std::int64_t i = 0; i < size; ++i) grad_x[i] = static_cast<T>(y[i] * (grad[i] - dot));
}

template <class T>
void cross_entropy([[maybe_unused]] const Executor& executor, const LabelledNodes& nodes,
                   const T* logits, T* loss) {
  DSNN_ON_GPU(cross_entropy(*gpu, nodes, logits, loss));
  double sum = 0;
  for (std::int64_t i = 0; i < nodes.count; ++i) {
    const std::int64_t u = nodes.nodes[i];
    const T* row = logits + u * nodes.classes;
    sum += log_sum_exp(row, nodes.classes) - row[nodes.labels[u]];
  }
  *loss = static_cast<T>(sum / static_cast<double>(nodes.total));
}

template <class T>
void cross_entropy_backward([[maybe_unused]] const Executor& executor, const LabelledNodes& nodes,
                            const T* logits, const T* grad, T* grad_logits) {
  DSNN_ON_GPU(cross_entropy_backward(*gpu, nodes, logits, grad, grad_logits));
  std::fill_n(grad_logits, nodes.num_nodes * nodes.classes, T{0});
  const double factor = static_cast<double>(*grad) / static_cast<double>(nodes.total);
  ScratchVector<double> probabilities(static_cast<std::size_t>(nodes.classes));
  for (std::int64_t i = 0; i < nodes.count; ++i) {
    const std::int64_t u = nodes.nodes[i];
    softmax_of(logits + u * nodes.classes, nodes.classes, probabilities.data());
    probabilities[static_cast<std::size_t>(nodes.labels[u])] -= 1;
    T* to = grad_logits + u * nodes.classes;
    for (const double difference : probabilities) *to++ += static_cast<T>(factor * difference);
  }
}

#define DSNN_INSTANTIATE(T)                                                                       \
  template void softmax(const Executor&, std::int64_t, const T*, T*);                             \
  template void softmax_backward(const Executor&, std::int64_t, const T*, const T*, T*);          \
  template void cross_entropy(const Executor&, const LabelledNodes&, const T*, T*);               \
  template void cross_entropy_backward(const Executor&, const LabelledNodes&, const T*, const T*, \
                                       T*);
DSNN_INSTANTIATE(float)
DSNN_INSTANTIATE(double)
#undef DSNN_INSTANTIATE

}  // namespace dsnn::kernels
