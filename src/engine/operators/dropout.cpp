#include "engine/operators/dropout.h"

namespace dsnn::engine {
namespace {

/// Its gradient is dropout with the same seed.
class DropoutOperator final : public OperatorOf<DropoutOperator> {
 public:
  explicit DropoutOperator(const Dropout& dropout) : dropout_(dropout) {}
  std::string name() const override { return "dropout"; }
  std::string attributes() const override { return fmt::format("{:g}", dropout_.probability); }
  Shapes infer(const Shapes& inputs) const override {
    const Checks checks("dropout", inputs);
    check_dropout(checks, dropout_);
    return {checks.there(0, "x")};
  }
  Needs backward_needs(ArgumentSet /*wanted*/) const override { return {}; }
  bool is_cheap() const override { return true; }
  ArgumentSet overwritable() const override { return {0}; }
  ArgumentSet overwritable_grad() const override { return {0}; }
  PartRule part_rule(const Shapes& /*inputs*/) const override {
    PartRule rule = PartRule::row_by_row();
    rule.dropout = &dropout_;
    return rule;
  }

  template <class T>
  void forward_pass(const Call<T>& call) const {
    run(call, call.inputs[0], call.outputs[0]);
  }
  template <class T>
  void backward_pass(const Call<T>& call) const {
    run(call, call.grads[0], call.input_grads[0]);
  }

 private:
  template <class T>
  void run(const Call<T>& call, const T* from, T* to) const {
    kernels::dropout(call.executor, num_numbers(call.shapes[0]),
                     kernel_dropout(dropout_, call.seed, call.shapes[0]), from, to);
  }

  Dropout dropout_;
};

}  // namespace

std::uint64_t dropout_seed(std::uint64_t pass_seed, std::int64_t place) {
  return pass_seed * 0x9e3779b97f4a7c15u + static_cast<std::uint64_t>(place) * 0xd1b54a32d192ed03u;
}

OperatorPtr dropout_operator(const Dropout& dropout) {
  return std::make_shared<DropoutOperator>(dropout);
}

Value drop(Value x, const Dropout& dropout) {
  if (dropout.probability == 0) return x;
  return x.program().apply_one(dropout_operator(dropout), {x});
}

}  // namespace dsnn::engine
