#include "kernels/bias_activation.h"

#include "dsnn/sheaf/names.h"

#include "engine/operators/dropout.h"
#include "engine/operators/grad_place.h"

namespace dsnn::engine {
namespace {

class BiasActivation final : public OperatorOf<BiasActivation> {
 public:
  BiasActivation(StalkActivation activation, const Dropout& dropout)
      : activation_(activation), dropout_(dropout) {}
  std::string name() const override { return "bias_activation"; }
  std::string attributes() const override {
    const std::string drop = dropout_text(dropout_);
    return std::string(name_of(activation_)) + (drop.empty() ? "" : ", ") + drop;
  }
  Shapes infer(const Shapes& inputs) const override {
    const Checks checks("bias_activation", inputs);
    check_dropout(checks, dropout_);
    const Shape& x = checks.shape(0, "x", {-1, -1});
    if (inputs.has(1)) checks.shape(1, "bias", {x[1]});
    return {x};
  }
  ArgumentSet overwritable() const override { return {0}; }
  PartRule part_rule(const Shapes& /*inputs*/) const override {
    PartRule rule = PartRule::row_by_row();
    if (dropout_.probability == 0) return rule;
    rule.dropout = &dropout_;
    rule.dropout_of = PartRule::DropoutOf::kResult;
    rule.without_dropout = bias_activation_operator(activation_, {});
    return rule;
  }

  template <class T>
  void forward_pass(const Call<T>& call) const {
    const Shape& x = call.shapes[0];
    kernels::bias_activation(call.executor, x[0], x[1], activation_,
                             kernel_dropout(dropout_, call.seed, x), call.inputs[0], call.inputs[1],
                             call.outputs[0]);
  }
  template <class T>
  void backward_pass(const Call<T>& call) const {
    const Shape& x = call.shapes[0];
    const GradPlace<T> grad_x(call, 0);
    kernels::bias_activation_backward<T>(
        call.executor, x[0], x[1], activation_, kernel_dropout(dropout_, call.seed, x),
        call.inputs[0], call.inputs[1], call.grads[0], grad_x, call.input_grads[1]);
  }

 private:
  StalkActivation activation_;
  Dropout dropout_;
};

}  // namespace

OperatorPtr bias_activation_operator(StalkActivation activation, const Dropout& dropout) {
  return std::make_shared<BiasActivation>(activation, dropout);
}
Value bias_activation(Value x, const Operand& bias, StalkActivation activation,
                      const Dropout& dropout) {
  return x.program().apply_one(bias_activation_operator(activation, dropout), {x, bias});
}

}  // namespace dsnn::engine
