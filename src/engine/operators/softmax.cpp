#include "dsnn/engine/operators/arithmetic.h"

#include "engine/operators/checks.h"
#include "kernels/scratch.h"
#include "util/log_sum_exp.h"

namespace dsnn::engine {
namespace {

/// For a few values: one thread, one loop.
class Softmax final : public OperatorOf<Softmax> {
 public:
  std::string name() const override { return "softmax"; }
  Shapes infer(const Shapes& inputs) const override {
    return {Checks("softmax", inputs).shape(0, "x", {-1})};
  }
  Needs backward_needs(ArgumentSet /*wanted*/) const override { return {{}, {0}}; }

  template <class T>
  void forward_pass(const Call<T>& call) const {
    const std::int64_t size = num_numbers(call.shapes[0]);
    kernels::ScratchVector<double> result(static_cast<std::size_t>(size));
    softmax_of(call.inputs[0], size, result.data());
    for (std::int64_t i = 0; i < size; ++i) {
      call.outputs[0][i] = static_cast<T>(result[static_cast<std::size_t>(i)]);
    }
  }
  /// grad_x = y (grad - y . grad)
  template <class T>
  void backward_pass(const Call<T>& call) const {
    const std::int64_t size = num_numbers(call.shapes[0]);
    const T *y = call.outputs[0], *grad = call.grads[0];
    double dot = 0;
    for (std::int64_t i = 0; i < size; ++i) dot += static_cast<double>(y[i]) * grad[i];
    for (std::int64_t i = 0; i < size; ++i) {
      call.input_grads[0][i] = static_cast<T>(y[i] * (grad[i] - dot));
    }
  }
};

}  // namespace

OperatorPtr softmax_operator() { return std::make_shared<Softmax>(); }
Value softmax(Value x) { return x.program().apply_one(softmax_operator(), {x}); }

}  // namespace dsnn::engine
