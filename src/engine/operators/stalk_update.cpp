#include "kernels/stalk_update.h"

#include "dsnn/engine/operators/linear.h"
#include "dsnn/sheaf/names.h"

#include "engine/operators/checks.h"
#include "engine/operators/grad_place.h"

namespace dsnn::engine {
namespace {

class StalkUpdate final : public OperatorOf<StalkUpdate> {
 public:
  explicit StalkUpdate(StalkActivation activation) : activation_(activation) {}
  std::string name() const override { return "stalk_update"; }
  std::string attributes() const override { return name_of(activation_); }
  Shapes infer(const Shapes& inputs) const override {
    const Checks checks("stalk_update", inputs);
    const Shape& x = checks.planes(0, "x", {-1, -1, -1});
    checks.shape(1, "y", x);
    checks.shape(2, "eps", {x[2]});
    return {x};
  }
  // Both planes of an element are read before either is written.
  ArgumentSet overwritable() const override { return {0, 1}; }
  ArgumentSet overwritable_grad() const override { return {0}; }
  PartRule part_rule(const Shapes& /*inputs*/) const override { return PartRule::row_by_row(); }

  template <class T>
  void forward_pass(const Call<T>& call) const {
    kernels::stalk_update(call.executor, shape_of(call), activation_, call.inputs[0],
                          call.inputs[1], call.inputs[2], call.outputs[0]);
  }
  template <class T>
  void backward_pass(const Call<T>& call) const {
    const GradPlace<T> grad_x(call, 0), grad_y(call, 1), grad_eps(call, 2);
    kernels::stalk_update_backward<T>(call.executor, shape_of(call), activation_, call.inputs[0],
                                      call.inputs[1], call.inputs[2], call.grads[0], grad_x, grad_y,
                                      grad_eps);
  }

 private:
  template <class T>
  static kernels::StalkShape shape_of(const Call<T>& call) {
    const Shape& x = call.shapes[0];
    return {x[0], x[1], x[2], x[3]};
  }

  StalkActivation activation_;
};

}  // namespace

OperatorPtr stalk_update_operator(StalkActivation activation) {
  return std::make_shared<StalkUpdate>(activation);
}
Value stalk_update(Value x, Value y, Value eps, StalkActivation activation) {
  return x.program().apply_one(stalk_update_operator(activation), {x, y, eps});
}

}  // namespace dsnn::engine
