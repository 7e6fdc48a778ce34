#include "kernels/centre_columns.h"

#include "dsnn/engine/operators/columns.h"

#include "engine/operators/checks.h"

namespace dsnn::engine {
namespace {

class CentreColumns final : public OperatorOf<CentreColumns> {
 public:
  std::string name() const override { return "centre_columns"; }
  Shapes infer(const Shapes& inputs) const override {
    const Checks checks("centre_columns", inputs);
    const bool is_matrix = checks.there(0, "x").size() == 2;
    const Shape& x = is_matrix ? inputs[0] : checks.planes(0, "x", {-1, -1});
    if (inputs.has(1)) {
      checks.shape(1, "shift", is_matrix ? Shape{x[1]} : Shape{x[0], x[2]});
    }
    return {x};
  }
  Needs backward_needs(ArgumentSet wanted) const override {
    return wanted.has(0) ? Needs{{0}, {}} : Needs{};
  }
  Cost cost(const Shapes& inputs, const Shapes& /*results*/) const override {
    const auto size = static_cast<double>(num_numbers(inputs[0]));
    return {4 * size, 6 * size};
  }

  template <class T>
  void forward_pass(const Call<T>& call) const {
    kernels::centre_columns(call.executor, shape(call), call.inputs[0],
                            call.inputs.size() > 1 ? call.inputs[1] : nullptr, call.outputs[0]);
  }
  template <class T>
  void backward_pass(const Call<T>& call) const {
    kernels::centre_columns_backward(call.executor, shape(call), call.inputs[0], call.grads[0],
                                     call.input_grads[0],
                                     call.input_grads.size() > 1 ? call.input_grads[1] : nullptr);
  }

 private:
  template <class T>
  static kernels::ColumnsShape shape(const Call<T>& call) {
    const Shape& x = call.shapes[0];
    return {x.size() == 3 ? x[0] : 1, x[x.size() - 2], x.back()};
  }
};

}  // namespace

OperatorPtr centre_columns_operator() { return std::make_shared<CentreColumns>(); }
Value centre_columns(Value x, const Operand& shift) {
  return x.program().apply_one(centre_columns_operator(), {x, shift});
}

}  // namespace dsnn::engine
