#include "kernels/rows.h"

#include "dsnn/engine/operators/columns.h"

#include "engine/operators/checks.h"
#include "engine/operators/grad_place.h"

namespace dsnn::engine {
namespace {

class UnitRows final : public OperatorOf<UnitRows> {
 public:
  std::string name() const override { return "unit_rows"; }
  Shapes infer(const Shapes& inputs) const override {
    return {Checks("unit_rows", inputs).shape(0, "x", {-1, -1})};
  }
  PartRule part_rule(const Shapes& /*inputs*/) const override { return PartRule::row_by_row(); }

  template <class T>
  void forward_pass(const Call<T>& call) const {
    const Shape& shape = call.shapes[0];
    kernels::unit_rows(call.executor, shape[0], shape[1], call.inputs[0], call.outputs[0]);
  }
  template <class T>
  void backward_pass(const Call<T>& call) const {
    const Shape& shape = call.shapes[0];
    kernels::unit_rows_backward(call.executor, shape[0], shape[1], call.inputs[0], call.grads[0],
                                call.input_grads[0]);
  }
};

class SumMiddle final : public OperatorOf<SumMiddle> {
 public:
  explicit SumMiddle(double factor) : factor_(factor) {}
  std::string name() const override { return "sum_middle"; }
  std::string attributes() const override { return fmt::format("factor {:g}", factor_); }
  Shapes infer(const Shapes& inputs) const override {
    const Shape& shape = Checks("sum_middle", inputs).shape(0, "x", {-1, -1, -1});
    return {{shape[0], shape[2]}};
  }
  Needs backward_needs(ArgumentSet /*wanted*/) const override { return {}; }
  PartRule part_rule(const Shapes& /*inputs*/) const override { return PartRule::row_by_row(); }

  template <class T>
  void forward_pass(const Call<T>& call) const {
    const Shape& s = call.shapes[0];
    kernels::sum_middle(call.executor, s[0], s[1], s[2], static_cast<T>(factor_), call.inputs[0],
                        call.outputs[0]);
  }
  template <class T>
  void backward_pass(const Call<T>& call) const {
    const Shape& s = call.shapes[0];
    kernels::sum_middle_backward(call.executor, s[0], s[1], s[2], static_cast<T>(factor_),
                                 call.grads[0], call.input_grads[0]);
  }

 private:
  double factor_;
};

class HeadDot final : public OperatorOf<HeadDot> {
 public:
  std::string name() const override { return "head_dot"; }
  Shapes infer(const Shapes& inputs) const override {
    const Checks checks("head_dot", inputs);
    const Shape& weight = checks.shape(1, "weight", {-1, -1});
    return {{checks.shape(0, "x", {-1, num_numbers(weight)})[0], weight[0]}};
  }
  PartRule part_rule(const Shapes& /*inputs*/) const override { return PartRule::row_by_row(); }

  template <class T>
  void forward_pass(const Call<T>& call) const {
    const Shape& weight = call.shapes[1];
    kernels::head_dot(call.executor, call.shapes[0][0], weight[0], weight[1], call.inputs[0],
                      call.inputs[1], call.outputs[0]);
  }
  template <class T>
  void backward_pass(const Call<T>& call) const {
    const Shape& weight = call.shapes[1];
    kernels::head_dot_backward(call.executor, call.shapes[0][0], weight[0], weight[1],
                               call.inputs[0], call.inputs[1], call.grads[0], call.input_grads[0],
                               call.input_grads[1]);
  }
};

class ComplexBiasRelu final : public OperatorOf<ComplexBiasRelu> {
 public:
  std::string name() const override { return "complex_bias_relu"; }
  Shapes infer(const Shapes& inputs) const override {
    const Checks checks("complex_bias_relu", inputs);
    const Shape& shape = checks.shape(0, "x", {2, -1, -1});
    checks.shape(1, "bias", {shape[2]});
    return {shape};
  }
  ArgumentSet overwritable() const override { return {0}; }
  PartRule part_rule(const Shapes& /*inputs*/) const override { return PartRule::row_by_row(); }

  template <class T>
  void forward_pass(const Call<T>& call) const {
    const Shape& shape = call.shapes[0];
    kernels::complex_bias_relu(call.executor, shape[1], shape[2], call.inputs[0], call.inputs[1],
                               call.outputs[0]);
  }
  template <class T>
  void backward_pass(const Call<T>& call) const {
    const Shape& shape = call.shapes[0];
    const GradPlace<T> grad_x(call, 0);
    kernels::complex_bias_relu_backward<T>(call.executor, shape[1], shape[2], call.inputs[0],
                                           call.inputs[1], call.grads[0], grad_x,
                                           call.input_grads[1]);
  }
};

}  // namespace

OperatorPtr unit_rows_operator() { return std::make_shared<UnitRows>(); }
Value unit_rows(Value x) { return x.program().apply_one(unit_rows_operator(), {x}); }

OperatorPtr sum_middle_operator(double factor) { return std::make_shared<SumMiddle>(factor); }

Value sum_axis(Value x) {
  Shape shape = x.shape();
  const std::int64_t inner = shape.back(), middle = shape[shape.size() - 2];
  Program& program = x.program();
  const Value flat = program.reshape(
      x, {num_numbers(shape) / std::max<std::int64_t>(inner * middle, 1), middle, inner});
  shape.erase(shape.end() - 2);
  return program.reshape(program.apply_one(sum_middle_operator(1), {flat}), shape);
}

Value head_mean(Value x, std::int64_t heads) {
  Program& program = x.program();
  const Value by_head = program.reshape(x, {x.size(0), heads, x.size(1) / heads});
  return program.apply_one(sum_middle_operator(1 / static_cast<double>(heads)), {by_head});
}

OperatorPtr head_dot_operator() { return std::make_shared<HeadDot>(); }
Value head_dot(Value x, const Operand& weight) {
  return x.program().apply_one(head_dot_operator(), {x, weight});
}

OperatorPtr complex_bias_relu_operator() { return std::make_shared<ComplexBiasRelu>(); }
Value complex_bias_relu(Value x, const Operand& bias) {
  return x.program().apply_one(complex_bias_relu_operator(), {x, bias});
}

}  // namespace dsnn::engine
