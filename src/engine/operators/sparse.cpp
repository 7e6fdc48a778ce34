#include "dsnn/engine/operators/sparse.h"

#include "engine/operators/dropout.h"
#include "engine/operators/sparse_arguments.h"

#include <utility>

namespace dsnn::engine {
namespace {

/// Arguments: values (or none) and x.
class Spmm final : public OperatorOf<Spmm> {
 public:
  explicit Spmm(SparseMatrix matrix) : matrix_(std::move(matrix)) {}
  std::string name() const override { return "spmm"; }
  std::string attributes() const override {
    return fmt::format("{} entries", matrix_.num_entries());
  }

  Shapes infer(const Shapes& inputs) const override {
    const Checks checks("spmm", inputs);
    const Shape& x = checks.there(1, "x");
    if (x.size() == 3) {
      checks.planes(1, "x", {matrix_.num_cols(), -1});
    } else if (x.size() != 2 || x[0] != matrix_.num_cols()) {
      checks.fail(fmt::format("x must have shape {} or [1 or 2, {}, any] (got {})",
                              shape_text({matrix_.num_cols(), -1}), matrix_.num_cols(),
                              shape_text(x)));
    }
    if (inputs.has(0)) check_values(checks, inputs[0], x);
    Shape result = x;
    result[result.size() - 2] = matrix_.num_rows();
    return {result};
  }
  /// x only if values are learned: with a fixed matrix it is not needed.
  Needs backward_needs(ArgumentSet wanted) const override {
    return wanted.has(0) ? Needs{{0, 1}, {}} : Needs{{0}, {}};
  }
  Cost cost(const Shapes& inputs, const Shapes& results) const override {
    const auto entries = static_cast<double>(matrix_.num_entries());
    const auto row = static_cast<double>(num_numbers(inputs[1])) /
                     static_cast<double>(std::max<std::int64_t>(1, matrix_.num_cols()));
    return {entries * row + static_cast<double>(num_numbers(results[0])), 2 * entries * row};
  }
  PartRule part_rule(const Shapes& inputs) const override {
    const std::int64_t planes = inputs[1].size() == 3 ? inputs[1][0] : 1;
    return {.result = PartRule::Result::kOwnRows,
            .kind = RowKind::kNodes,
            .gathers = {{1, RowKind::kNodes, planes}}};
  }

  template <class T>
  void forward_pass(const Call<T>& call) const {
    kernels::spmm(call.executor, rows_of(matrix_), values(call), shape_of(call.shapes[1]),
                  call.inputs[1], call.outputs[0]);
  }
  template <class T>
  void backward_pass(const Call<T>& call) const {
    if (T* real = call.input_grads[0]) {
      const Shape& values_shape = call.shapes[0];
      kernels::spmm_values_backward(call.executor, rows_of(matrix_), shape_of(call.shapes[1]),
                                    call.inputs[1], call.grads[0], real,
                                    values_shape.size() == 2 ? real + values_shape[1] : nullptr);
    }
    if (call.input_grads[1] == nullptr) return;
    kernels::SparseValues<T> adjoint = values(call);
    adjoint.conjugate = true;
    kernels::spmm_adjoint(call.executor, rows_of(matrix_), columns_of(matrix_), adjoint,
                          shape_of(call.result_shapes[0]), call.grads[0], call.input_grads[1]);
  }

 private:
  void check_values(const Checks& checks, const Shape& values, const Shape& x) const {
    if (values.size() != 2) {
      checks.shape(0, "values", {matrix_.num_entries()});
      return;
    }
    checks.shape(0, "values", {2, matrix_.num_entries()});
    if (x.size() != 3 || x[0] != 2) {
      checks.fail(fmt::format("complex values of shape {} need x in 2 planes (got {})",
                              shape_text(values), shape_text(x)));
    }
  }
  static kernels::SparseShape shape_of(const Shape& x) {
    return {x.size() == 3 ? x[0] : 1, x[x.size() - 2], x.back()};
  }
  template <class T>
  kernels::SparseValues<T> values(const Call<T>& call) const {
    kernels::SparseValues<T> entries = values_of<T>(matrix_);
    if (!call.shapes.has(0)) return entries;
    entries.real = call.inputs[0];
    if (call.shapes[0].size() == 2) entries.imag = entries.real + call.shapes[0][1];
    return entries;
  }

  SparseMatrix matrix_;
};

class SparseLinear final : public OperatorOf<SparseLinear> {
 public:
  SparseLinear(SparseMatrix matrix, const Dropout& dropout)
      : matrix_(std::move(matrix)), dropout_(dropout) {}
  std::string name() const override { return "sparse_linear"; }
  std::string attributes() const override {
    const std::string drop = dropout_text(dropout_);
    return fmt::format("{} entries{}{}", matrix_.num_entries(), drop.empty() ? "" : ", ", drop);
  }
  Shapes infer(const Shapes& inputs) const override {
    const Checks checks("sparse_linear", inputs);
    check_dropout(checks, dropout_);
    const Shape& weight = checks.shape(0, "weight", {matrix_.num_cols(), -1});
    return {{matrix_.num_rows(), weight[1]}};
  }
  Needs backward_needs(ArgumentSet /*wanted*/) const override { return {}; }
  Cost cost(const Shapes& inputs, const Shapes& results) const override {
    const double products =
        static_cast<double>(matrix_.num_entries()) * static_cast<double>(inputs[0][1]);
    return {products + static_cast<double>(num_numbers(results[0])), 2 * products};
  }
  /// The features of nodes of other parts are known.
  PartRule part_rule(const Shapes& /*inputs*/) const override {
    PartRule rule = {.result = PartRule::Result::kAllRows, .kind = RowKind::kNodes};
    if (dropout_.probability == 0) return rule;
    rule.entries = &matrix_;
    rule.dropout = &dropout_;
    rule.dropout_of = PartRule::DropoutOf::kFeatures;
    return rule;
  }

  template <class T>
  void forward_pass(const Call<T>& call) const {
    kernels::spmm(call.executor, rows_of(matrix_), values<T>(call.seed),
                  {1, matrix_.num_cols(), call.shapes[0][1]}, call.inputs[0], call.outputs[0]);
  }
  template <class T>
  void backward_pass(const Call<T>& call) const {
    kernels::SparseValues<T> adjoint = values<T>(call.seed);
    adjoint.conjugate = true;
    kernels::spmm_adjoint(call.executor, rows_of(matrix_), columns_of(matrix_), adjoint,
                          {1, matrix_.num_rows(), call.shapes[0][1]}, call.grads[0],
                          call.input_grads[0]);
  }

 private:
  template <class T>
  kernels::SparseValues<T> values(std::uint64_t pass_seed) const {
    kernels::SparseValues<T> values = values_of<T>(matrix_);
    values.dropout = {dropout_.probability, dropout_seed(pass_seed, dropout_.place)};
    return values;
  }

  SparseMatrix matrix_;
  Dropout dropout_;
};

}  // namespace

OperatorPtr spmm_operator(SparseMatrix matrix) { return std::make_shared<Spmm>(std::move(matrix)); }
Value spmm(Value x, const SparseMatrix& matrix) {
  return x.program().apply_one(spmm_operator(matrix), {Operand(), x});
}
Value spmm(Value values, Value x, const SparseMatrix& matrix) {
  return x.program().apply_one(spmm_operator(matrix), {values, x});
}

OperatorPtr sparse_linear_operator(SparseMatrix matrix, const Dropout& dropout) {
  return std::make_shared<SparseLinear>(std::move(matrix), dropout);
}

}  // namespace dsnn::engine
