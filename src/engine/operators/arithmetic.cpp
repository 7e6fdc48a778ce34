#include "dsnn/engine/operators/arithmetic.h"

#include "engine/operators/checks.h"
#include "kernels/elementwise.h"
#include "kernels/rows.h"

#include <fmt/format.h>

namespace dsnn::engine {
namespace {

template <class T>
std::int64_t size_of(const Call<T>& call) {
  return num_numbers(call.result_shapes[0]);
}

class Combine final : public OperatorOf<Combine> {
 public:
  Combine(double a, double b, double c) : a_(a), b_(b), c_(c) {}
  std::string name() const override { return "combine"; }
  std::string attributes() const override {
    std::string text = fmt::format("{:g} x", a_);
    if (b_ != 0) text += fmt::format(" + {:g} y", b_);
    if (c_ != 0) text += fmt::format(" + {:g}", c_);
    return text;
  }
  Shapes infer(const Shapes& inputs) const override {
    const Checks checks("combine", inputs);
    const Shape& shape = checks.there(0, "x");
    if (inputs.has(1)) checks.shape(1, "y", shape);
    return {shape};
  }
  Needs backward_needs(ArgumentSet /*wanted*/) const override { return {}; }
  ArgumentSet overwritable() const override { return {0, 1}; }
  ArgumentSet overwritable_grad() const override { return {0, 1}; }
  bool passes_grad(int input) const override { return (input == 0 ? a_ : b_) == 1; }
  PartRule part_rule(const Shapes& /*inputs*/) const override { return PartRule::row_by_row(); }

  template <class T>
  void forward_pass(const Call<T>& call) const {
    const T* y = call.inputs.size() > 1 ? call.inputs[1] : nullptr;
    kernels::combine(call.executor, size_of(call), a_, call.inputs[0], b_, y, c_, call.outputs[0]);
  }
  template <class T>
  void backward_pass(const Call<T>& call) const {
    // The gradient that may overwrite grad is computed last.
    for (std::size_t i = call.input_grads.size(); i-- > 0;) {
      if (call.input_grads[i] == nullptr || call.input_grads[i] == call.grads[0]) continue;
      scale_grad(call, i);
    }
    for (std::size_t i = 0; i < call.input_grads.size(); ++i) {
      if (call.input_grads[i] == call.grads[0]) scale_grad(call, i);
    }
  }

 private:
  template <class T>
  void scale_grad(const Call<T>& call, std::size_t i) const {
    kernels::combine<T>(call.executor, size_of(call), i == 0 ? a_ : b_, call.grads[0], 0, nullptr,
                        0, call.input_grads[i]);
  }

  double a_, b_, c_;
};

class Multiply final : public OperatorOf<Multiply> {
 public:
  std::string name() const override { return "multiply"; }
  Shapes infer(const Shapes& inputs) const override {
    const Checks checks("multiply", inputs);
    const Shape& shape = checks.there(0, "x");
    checks.shape(1, "y", shape);
    return {shape};
  }
  Needs backward_needs(ArgumentSet wanted) const override {
    Needs needs;
    if (wanted.has(0)) needs.inputs.add(1);
    if (wanted.has(1)) needs.inputs.add(0);
    return needs;
  }
  ArgumentSet overwritable() const override { return {0, 1}; }
  PartRule part_rule(const Shapes& /*inputs*/) const override { return PartRule::row_by_row(); }

  template <class T>
  void forward_pass(const Call<T>& call) const {
    kernels::multiply(call.executor, size_of(call), call.inputs[0], call.inputs[1],
                      call.outputs[0]);
  }
  template <class T>
  void backward_pass(const Call<T>& call) const {
    for (std::size_t i = 0; i < 2; ++i) {
      if (call.input_grads[i] == nullptr) continue;
      kernels::multiply(call.executor, size_of(call), call.grads[0], call.inputs[1 - i],
                        call.input_grads[i]);
    }
  }
};

class TimesNumber final : public OperatorOf<TimesNumber> {
 public:
  explicit TimesNumber(std::int64_t index) : index_(index) {}
  std::string name() const override { return "times_number"; }
  std::string attributes() const override { return fmt::format("number {}", index_); }
  Shapes infer(const Shapes& inputs) const override {
    const Checks checks("times_number", inputs);
    const Shape& numbers = checks.there(1, "numbers");
    if (index_ < 0 || index_ >= num_numbers(numbers)) {
      checks.fail(
          fmt::format("element {} requested, but there are only {}", index_, num_numbers(numbers)));
    }
    return {checks.there(0, "x")};
  }
  ArgumentSet overwritable() const override { return {0}; }
  ArgumentSet overwritable_grad() const override { return {0}; }
  PartRule part_rule(const Shapes& /*inputs*/) const override { return PartRule::row_by_row(); }

  template <class T>
  void forward_pass(const Call<T>& call) const {
    kernels::scale(call.executor, size_of(call), call.inputs[1] + index_, call.inputs[0],
                   call.outputs[0]);
  }
  template <class T>
  void backward_pass(const Call<T>& call) const {
    if (T* grad = call.input_grads[1]) {
      kernels::copy_columns<T>(call.executor, 1, num_numbers(call.shapes[1]), nullptr, 0, grad, 0);
      kernels::dot(call.executor, size_of(call), call.grads[0], call.inputs[0], grad + index_);
    }
    if (call.input_grads[0] != nullptr) {
      kernels::scale(call.executor, size_of(call), call.inputs[1] + index_, call.grads[0],
                     call.input_grads[0]);
    }
  }

 private:
  std::int64_t index_;
};

class ApplyFunction final : public OperatorOf<ApplyFunction> {
 public:
  explicit ApplyFunction(Function function) : function_(function) {}
  std::string name() const override {
    switch (function_) {
      case Function::kRelu:
        return "relu";
      case Function::kLeakyRelu:
        return "leaky_relu";
      case Function::kElu:
        return "elu";
      case Function::kTanh:
        return "tanh";
      case Function::kSoftplus:
        break;
    }
    return "softplus";
  }
  Shapes infer(const Shapes& inputs) const override {
    return {Checks(name(), inputs).there(0, "x")};
  }
  ArgumentSet overwritable() const override { return {0}; }
  ArgumentSet overwritable_grad() const override { return {0}; }
  Cost cost(const Shapes& inputs, const Shapes& results) const override {
    constexpr double kOperations = 20;  // of an exponential
    const auto size = static_cast<double>(num_numbers(results[0]));
    (void)inputs;
    return {2 * size, (function_ == Function::kRelu ? 1 : kOperations) * size};
  }
  PartRule part_rule(const Shapes& /*inputs*/) const override { return PartRule::row_by_row(); }

  template <class T>
  void forward_pass(const Call<T>& call) const {
    kernels::apply_function(call.executor, function_, size_of(call), call.inputs[0],
                            call.outputs[0]);
  }
  template <class T>
  void backward_pass(const Call<T>& call) const {
    kernels::apply_function_backward(call.executor, function_, size_of(call), call.inputs[0],
                                     call.grads[0], call.input_grads[0]);
  }

 private:
  Function function_;
};

Value apply_function(Function function, Value x) {
  return x.program().apply_one(function_operator(function), {x});
}

Value combine(double a, Value x, double b, Value y, double c) {
  return x.program().apply_one(combine_operator(a, b, c), {x, y});
}

}  // namespace

OperatorPtr combine_operator(double a, double b, double c) {
  return std::make_shared<Combine>(a, b, c);
}
Value operator+(Value x, Value y) { return combine(1, x, 1, y, 0); }
Value operator-(Value x, Value y) { return combine(1, x, -1, y, 0); }
Value operator*(double factor, Value x) { return combine(factor, x, 0, {}, 0); }
Value operator-(double number, Value x) { return combine(-1, x, 0, {}, number); }
Value mix(Value x, Value y, double share) { return combine(1 - share, x, share, y, 0); }

OperatorPtr multiply_operator() { return std::make_shared<Multiply>(); }
Value operator*(Value x, Value y) { return x.program().apply_one(multiply_operator(), {x, y}); }

OperatorPtr times_number_operator(std::int64_t index) {
  return std::make_shared<TimesNumber>(index);
}
Value times_number(Value x, const Operand& numbers, std::int64_t index) {
  return x.program().apply_one(times_number_operator(index), {x, numbers});
}

OperatorPtr function_operator(Function function) {
  return std::make_shared<ApplyFunction>(function);
}
Value relu(Value x) { return apply_function(Function::kRelu, x); }
Value leaky_relu(Value x) { return apply_function(Function::kLeakyRelu, x); }
Value elu(Value x) { return apply_function(Function::kElu, x); }
Value softplus(Value x) { return apply_function(Function::kSoftplus, x); }
Value tanh(Value x) { return apply_function(Function::kTanh, x); }

}  // namespace dsnn::engine
