#include "kernels/stalk_linear.h"

#include "engine/operators/dropout.h"
#include "engine/operators/grad_place.h"

namespace dsnn::engine {
namespace {

class StalkLinear final : public OperatorOf<StalkLinear> {
 public:
  explicit StalkLinear(const Dropout& dropout) : dropout_(dropout) {}
  std::string name() const override { return "stalk_linear"; }
  std::string attributes() const override { return dropout_text(dropout_); }
  Shapes infer(const Shapes& inputs) const override {
    const Checks checks("stalk_linear", inputs);
    check_dropout(checks, dropout_);
    const Shape& x = checks.planes(0, "x", {-1, -1, -1});
    check_weight(checks, 1, "left", x[0], x[2], inputs);
    check_weight(checks, 2, "right", x[0], x[3], inputs);
    if (inputs.has(1) && inputs.has(2) && inputs[1].size() != inputs[2].size()) {
      checks.fail(
          "left and right must both have one weight per plane, or both one weight for all planes");
    }
    return {x};
  }
  bool is_cheap() const override { return true; }
  Cost cost(const Shapes& inputs, const Shapes& results) const override {
    const auto size = static_cast<double>(num_numbers(results[0]));
    const auto width = static_cast<double>((inputs.has(1) ? inputs[0][2] : 0) +
                                           (inputs.has(2) ? inputs[0][3] : 0));
    return {2 * size, 2 * size * width};
  }
  PartRule part_rule(const Shapes& /*inputs*/) const override {
    PartRule rule = PartRule::row_by_row();
    if (dropout_.probability == 0) return rule;
    rule.dropout = &dropout_;
    rule.without_dropout = stalk_linear_operator({});
    return rule;
  }

  template <class T>
  void forward_pass(const Call<T>& call) const {
    kernels::stalk_linear(call.executor, shape_of(call), weights(call),
                          kernel_dropout(dropout_, call.seed, call.shapes[0]), call.inputs[0],
                          call.outputs[0]);
  }
  template <class T>
  void backward_pass(const Call<T>& call) const {
    const GradPlace<T> grad_x(call, 0), grad_left(call, 1), grad_right(call, 2);
    kernels::stalk_linear_backward<T>(call.executor, shape_of(call), weights(call),
                                      kernel_dropout(dropout_, call.seed, call.shapes[0]),
                                      call.inputs[0], call.grads[0], grad_x, grad_left, grad_right);
  }

 private:
  static void check_weight(const Checks& checks, std::size_t i, const char* name,
                           std::int64_t planes, std::int64_t size, const Shapes& inputs) {
    if (!inputs.has(i)) return;
    checks.shape(i, name, inputs[i].size() == 3 ? Shape{planes, size, size} : Shape{size, size});
  }
  template <class T>
  static kernels::StalkShape shape_of(const Call<T>& call) {
    const Shape& x = call.shapes[0];
    return {x[0], x[1], x[2], x[3]};
  }
  template <class T>
  static kernels::StalkWeights<T> weights(const Call<T>& call) {
    const auto is_per_plane = [&](std::size_t i) {
      return call.shapes.has(i) && call.shapes[i].size() == 3;
    };
    return {call.inputs[1], call.inputs[2], is_per_plane(1) || is_per_plane(2)};
  }

  Dropout dropout_;
};

}  // namespace

OperatorPtr stalk_linear_operator(const Dropout& dropout) {
  return std::make_shared<StalkLinear>(dropout);
}
Value stalk_linear(Value x, const Operand& left, const Operand& right, const Dropout& dropout) {
  return x.program().apply_one(stalk_linear_operator(dropout), {x, left, right});
}

}  // namespace dsnn::engine
