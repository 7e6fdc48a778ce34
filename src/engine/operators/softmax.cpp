#include "kernels/softmax.h"

#include "dsnn/engine/operators/arithmetic.h"

#include "engine/operators/checks.h"

namespace dsnn::engine {
namespace {

/// For a few values.
class Softmax final : public OperatorOf<Softmax> {
 public:
  std::string name() const override { return "softmax"; }
  Shapes infer(const Shapes& inputs) const override {
    return {Checks("softmax", inputs).shape(0, "x", {-1})};
  }
  Needs backward_needs(ArgumentSet /*wanted*/) const override { return {{}, {0}}; }
  PartRule part_rule(const Shapes& /*inputs*/) const override { return PartRule::row_by_row(); }

  template <class T>
  void forward_pass(const Call<T>& call) const {
    kernels::softmax(call.executor, num_numbers(call.shapes[0]), call.inputs[0], call.outputs[0]);
  }
  template <class T>
  void backward_pass(const Call<T>& call) const {
    kernels::softmax_backward<T>(call.executor, num_numbers(call.shapes[0]), call.outputs[0],
                                 call.grads[0], call.input_grads[0]);
  }
};

}  // namespace

OperatorPtr softmax_operator() { return std::make_shared<Softmax>(); }
Value softmax(Value x) { return x.program().apply_one(softmax_operator(), {x}); }

}  // namespace dsnn::engine
