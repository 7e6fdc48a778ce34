#include "dsnn/engine/operators/arithmetic.h"

#include "engine/operators/checks.h"
#include "kernels/elementwise.h"

namespace dsnn::engine {
namespace {

class Maximum final : public OperatorOf<Maximum> {
 public:
  std::string name() const override { return "maximum"; }
  Shapes infer(const Shapes& inputs) const override {
    const Checks checks("maximum", inputs);
    constexpr std::size_t kMost = 64;
    if (inputs.size() > kMost) {
      checks.fail(fmt::format("{} values given, expected at most {}", inputs.size(), kMost));
    }
    const Shape& first = checks.there(0, "value 0");
    for (std::size_t i = 1; i < inputs.size(); ++i) {
      checks.shape(i, fmt::format("value {}", i), first);
    }
    return {first};
  }
  PartRule part_rule(const Shapes& /*inputs*/) const override { return PartRule::row_by_row(); }

  template <class T>
  void forward_pass(const Call<T>& call) const {
    kernels::maximum(call.executor, num_numbers(call.result_shapes[0]), call.inputs,
                     call.outputs[0]);
  }
  template <class T>
  void backward_pass(const Call<T>& call) const {
    kernels::maximum_backward(call.executor, num_numbers(call.result_shapes[0]), call.inputs,
                              call.grads[0], call.input_grads);
  }
};

}  // namespace

OperatorPtr maximum_operator() { return std::make_shared<Maximum>(); }
Value maximum(const std::vector<Value>& values) {
  return values.front().program().apply_one(maximum_operator(), {values.begin(), values.end()});
}

}  // namespace dsnn::engine
