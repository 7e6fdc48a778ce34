#include "dsnn/engine/operators/linear.h"

#include "engine/operators/checks.h"
#include "kernels/scratch.h"
#include "util/log_sum_exp.h"

#include <utility>

namespace dsnn::engine {
namespace {

// One exponential per node and class: not worth sharing among threads. The sum is in node order.
class CrossEntropy final : public OperatorOf<CrossEntropy> {
 public:
  CrossEntropy(std::vector<std::int64_t> labels, std::vector<std::int64_t> nodes)
      : labels_(std::move(labels)), nodes_(std::move(nodes)) {}
  std::string name() const override { return "cross_entropy"; }
  std::string attributes() const override { return fmt::format("{} nodes", nodes_.size()); }
  Shapes infer(const Shapes& inputs) const override {
    const Checks checks("cross_entropy", inputs);
    const auto n = static_cast<std::int64_t>(labels_.size());
    const std::int64_t classes = checks.shape(0, "logits", {n, -1})[1];
    if (nodes_.empty()) checks.fail("nodes must not be empty");
    for (const std::int64_t u : nodes_) {
      if (u < 0 || u >= n) checks.fail(fmt::format("nodes has {}, expected 0 to {}", u, n - 1));
      if (label(u) < 0 || label(u) >= classes) {
        checks.fail(
            fmt::format("node {} has label {}, expected 0 to {}", u, label(u), classes - 1));
      }
    }
    return {Shape{}};
  }

  template <class T>
  void forward_pass(const Call<T>& call) const {
    const std::int64_t classes = call.shapes[0][1];
    double sum = 0;
    for (const std::int64_t u : nodes_) {
      const T* row = call.inputs[0] + u * classes;
      sum += log_sum_exp(row, classes) - row[label(u)];
    }
    *call.outputs[0] = static_cast<T>(sum / static_cast<double>(nodes_.size()));
  }
  template <class T>
  void backward_pass(const Call<T>& call) const {
    const std::int64_t classes = call.shapes[0][1];
    T* grad = call.input_grads[0];
    std::fill_n(grad, num_numbers(call.shapes[0]), T{0});
    const double factor = static_cast<double>(*call.grads[0]) / static_cast<double>(nodes_.size());
    kernels::ScratchVector<double> probabilities(static_cast<std::size_t>(classes));
    for (const std::int64_t u : nodes_) {
      softmax_of(call.inputs[0] + u * classes, classes, probabilities.data());
      probabilities[static_cast<std::size_t>(label(u))] -= 1;
      T* to = grad + u * classes;
      for (const double difference : probabilities) *to++ += static_cast<T>(factor * difference);
    }
  }

 private:
  std::int64_t label(std::int64_t u) const { return labels_[static_cast<std::size_t>(u)]; }

  std::vector<std::int64_t> labels_, nodes_;
};

}  // namespace

OperatorPtr cross_entropy_operator(std::vector<std::int64_t> labels,
                                   std::vector<std::int64_t> nodes) {
  return std::make_shared<CrossEntropy>(std::move(labels), std::move(nodes));
}
Value cross_entropy(Value logits, std::vector<std::int64_t> labels,
                    std::vector<std::int64_t> nodes) {
  return logits.program().apply_one(cross_entropy_operator(std::move(labels), std::move(nodes)),
                                    {logits});
}

}  // namespace dsnn::engine
