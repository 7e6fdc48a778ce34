#include "kernels/linear.h"

#include "dsnn/engine/operators/linear.h"

#include "engine/operators/checks.h"
#include "kernels/reduce_blocks.h"

namespace dsnn::engine {
namespace {

class Linear final : public OperatorOf<Linear> {
 public:
  std::string name() const override { return "linear"; }
  Shapes infer(const Shapes& inputs) const override {
    const Checks checks("linear", inputs);
    const bool is_matrix = checks.there(0, "x").size() == 2;
    const Shape& x = is_matrix ? inputs[0] : checks.shape(0, "x", {-1, -1, -1});
    const Shape& weight =
        checks.shape(1, "weight", is_matrix ? Shape{x[1], -1} : Shape{x[0], x[2], -1});
    if (inputs.has(2)) checks.shape(2, "bias", {weight.back()});
    return {{x[x.size() - 2], weight.back()}};
  }
  Needs backward_needs(ArgumentSet wanted) const override {
    Needs needs;
    if (wanted.has(0)) needs.inputs.add(1);
    if (wanted.has(1)) needs.inputs.add(0);
    return needs;
  }
  Cost cost(const Shapes& inputs, const Shapes& results) const override {
    Cost cost = Operator::cost(inputs, results);
    cost.operations =
        2.0 * static_cast<double>(num_numbers(inputs[0])) * static_cast<double>(results[0][1]);
    return cost;
  }
  /// The transposed weights, and partial sums of their gradients for each block of rows.
  std::int64_t scratch(const Shapes& inputs, const Shapes& results, bool backward) const override {
    const kernels::ReduceBlocks blocks(results[0][0]);
    return backward ? blocks.count() * num_numbers(inputs[1]) : 0;
  }
  PartRule part_rule(const Shapes& /*inputs*/) const override { return PartRule::row_by_row(); }

  template <class T>
  void forward_pass(const Call<T>& call) const {
    const T* bias = call.inputs.size() > 2 ? call.inputs[2] : nullptr;
    kernels::linear(call.executor, shape_of(call), call.inputs[0], call.inputs[1], bias,
                    call.outputs[0]);
  }
  template <class T>
  void backward_pass(const Call<T>& call) const {
    kernels::linear_backward(call.executor, shape_of(call), call.inputs[0], call.inputs[1],
                             call.grads[0], call.input_grads[0], call.input_grads[1],
                             call.input_grads.size() > 2 ? call.input_grads[2] : nullptr);
  }

 private:
  template <class T>
  static kernels::LinearShape shape_of(const Call<T>& call) {
    const Shape& x = call.shapes[0];
    return {x.size() == 2 ? 1 : x[0], x[x.size() - 2], x.back(), call.shapes[1].back()};
  }
};

}  // namespace

OperatorPtr linear_operator() { return std::make_shared<Linear>(); }
Value linear(Value x, const Operand& weight, const Operand& bias) {
  return x.program().apply_one(linear_operator(), {x, weight, bias});
}

}  // namespace dsnn::engine
