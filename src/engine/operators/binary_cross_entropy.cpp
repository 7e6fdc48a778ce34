#include "kernels/binary_cross_entropy.h"

#include "dsnn/engine/operators/linear.h"

#include "engine/operators/checks.h"

#include <vector>

namespace dsnn::engine {
namespace {

class BinaryCrossEntropy final : public OperatorOf<BinaryCrossEntropy> {
 public:
  explicit BinaryCrossEntropy(const std::vector<std::int64_t>& labels) : signs_(signs_of(labels)) {}
  std::string name() const override { return "binary_cross_entropy"; }
  std::string attributes() const override { return fmt::format("{} pairs", signs_.size()); }
  Shapes infer(const Shapes& inputs) const override {
    const Checks checks("binary_cross_entropy", inputs);
    checks.shape(0, "scores", {signs_.size(), 1});
    if (signs_.size() == 0) checks.fail("labels must not be empty");
    return {Shape{}};
  }
  Cost cost(const Shapes& inputs, const Shapes& /*results*/) const override {
    constexpr double kOperations = 40;  // of an exponential and a logarithm
    const auto size = static_cast<double>(num_numbers(inputs[0]));
    return {2 * size, kOperations * size};
  }

  template <class T>
  void forward_pass(const Call<T>& call) const {
    kernels::binary_cross_entropy(call.executor, signs_.size(), call.inputs[0], signs_.numbers<T>(),
                                  call.outputs[0]);
  }
  template <class T>
  void backward_pass(const Call<T>& call) const {
    kernels::binary_cross_entropy_backward(call.executor, signs_.size(), call.inputs[0],
                                           signs_.numbers<T>(), call.grads[0], call.input_grads[0]);
  }

 private:
  static std::vector<double> signs_of(const std::vector<std::int64_t>& labels) {
    const Shapes none;
    std::vector<double> signs;
    for (const std::int64_t label : labels) {
      if (label != 0 && label != 1) {
        Checks("binary_cross_entropy", none)
            .fail(fmt::format("labels has {}, expected 0 or 1", label));
      }
      signs.push_back(label == 1 ? -1 : 1);
    }
    return signs;
  }

  Constant signs_;  // -1 for label 1
};

}  // namespace

OperatorPtr binary_cross_entropy_operator(const std::vector<std::int64_t>& labels) {
  return std::make_shared<BinaryCrossEntropy>(labels);
}
Value binary_cross_entropy(Value scores, const std::vector<std::int64_t>& labels) {
  return scores.program().apply_one(binary_cross_entropy_operator(labels), {scores});
}

}  // namespace dsnn::engine
