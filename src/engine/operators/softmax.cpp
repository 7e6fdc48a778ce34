#include "dsnn/engine/operators/arithmetic.h"

#include "engine/operators/checks.h"
#include "util/log_sum_exp.h"
#include "util/portable_math.h"

namespace dsnn::engine {
namespace {

/// Of a few numbers: one thread, one loop.
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
    const double log_sum = log_sum_exp(call.inputs[0], size);
    for (std::int64_t i = 0; i < size; ++i) {
      call.outputs[0][i] =
          static_cast<T>(portable::exp(static_cast<double>(call.inputs[0][i]) - log_sum));
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
