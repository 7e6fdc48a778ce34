#include "kernels/orthogonal.h"

#include "dsnn/engine/operators/sheaf.h"
#include "dsnn/sheaf/names.h"

#include "engine/operators/checks.h"

namespace dsnn::engine {
namespace {

constexpr std::int64_t kMaxDim = 1024;  // far above any stalk dimension; sizes fit into an int

class Orthogonal final : public OperatorOf<Orthogonal> {
 public:
  Orthogonal(std::int64_t dim, OrthogonalMethod method) : dim_(dim), method_(method) {}
  std::string name() const override { return "orthogonal"; }
  std::string attributes() const override { return name_of(method_); }
  Shapes infer(const Shapes& inputs) const override {
    const Checks checks("orthogonal", inputs);
    if (dim_ < 1 || dim_ > kMaxDim) {
      checks.fail(fmt::format("dim is {}, expected 1 to {}", dim_, kMaxDim));
    }
    if (method_ == OrthogonalMethod::kEuler && dim_ > 3) {
      checks.fail(fmt::format("dim is {}, expected 1 to 3 for euler", dim_));
    }
    const Shape& params = checks.there(0, "params");
    const std::int64_t p = num_orthogonal_params(method_, dim_);
    const bool is_complex = params.size() == 3;
    const bool fits = params.size() == 2 || (is_complex && params[0] == 2);
    if (!fits || params.back() != p) {
      checks.fail(
          fmt::format("params must have shape [any, {}] or, complex, [2, any, {}] for {} with "
                      "dim {} (got {})",
                      p, p, name_of(method_), dim_, shape_text(params)));
    }
    Shape result = {params[params.size() - 2], dim_, dim_};
    if (is_complex) result.insert(result.begin(), 2);
    return {result};
  }
  Cost cost(const Shapes& inputs, const Shapes& results) const override {
    Cost cost = Operator::cost(inputs, results);
    cost.operations =
        4.0 * static_cast<double>(dim_) * static_cast<double>(num_numbers(results[0]));
    return cost;
  }
  PartRule part_rule(const Shapes& /*inputs*/) const override { return PartRule::row_by_row(); }

  template <class T>
  void forward_pass(const Call<T>& call) const {
    kernels::orthogonal(call.executor, batch(call), call.inputs[0], call.outputs[0]);
  }
  template <class T>
  void backward_pass(const Call<T>& call) const {
    kernels::orthogonal_backward(call.executor, batch(call), call.inputs[0], call.grads[0],
                                 call.input_grads[0]);
  }

 private:
  template <class T>
  kernels::OrthogonalBatch batch(const Call<T>& call) const {
    const Shape& params = call.shapes[0];
    return {method_, params.size() == 3, static_cast<int>(dim_), params[params.size() - 2]};
  }

  std::int64_t dim_;
  OrthogonalMethod method_;
};

}  // namespace

std::int64_t num_orthogonal_params(OrthogonalMethod method, std::int64_t dim) {
  return kernels::num_orthogonal_params(method, dim);
}
OperatorPtr orthogonal_operator(std::int64_t dim, OrthogonalMethod method) {
  return std::make_shared<Orthogonal>(dim, method);
}
Value orthogonal(Value params, std::int64_t dim, OrthogonalMethod method) {
  return params.program().apply_one(orthogonal_operator(dim, method), {params});
}

}  // namespace dsnn::engine
