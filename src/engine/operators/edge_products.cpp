// edge_dot and edge_spmm, each of which is the gradient of the other, and edge_hermitian.
#include "dsnn/engine/operators/edges.h"

#include "engine/operators/checks.h"
#include "engine/operators/sparse_arguments.h"

#include <utility>

namespace dsnn::engine {
namespace {

/// x_u . y_v for every entry. y: [any, heads * f].
template <class T>
void dots(const Call<T>& call, const SparseMatrix& matrix, const Shape& y_shape, std::int64_t heads,
          const T* x, const T* y, T* out) {
  kernels::spmm_values_backward<T>(call.executor, rows_of(matrix),
                                   {1, y_shape[0], y_shape[1] / heads, heads}, y, x, out, nullptr);
}

/// sum_e values_e x_e over each of `rows`, those of the matrix or of its transpose.
template <class T>
void products(const Call<T>& call, const kernels::SparseRows& rows, const Shape& x_shape,
              std::int64_t heads, const T* values, const T* x, T* out) {
  kernels::SparseValues<T> entries;
  entries.real = values;
  kernels::spmm(call.executor, rows, entries, {1, x_shape[0], x_shape[1] / heads, heads}, x, out);
}

/// A dense factor [rows, heads * any].
const Shape& check_factor(const Checks& checks, std::size_t i, const char* name, std::int64_t rows,
                          std::int64_t heads) {
  const Shape& x = checks.shape(i, name, {rows, -1});
  if (heads < 1 || x[1] % heads != 0) {
    checks.fail(
        fmt::format("heads is {}, expected a divisor of the {} columns of "
                    "{}",
                    heads, x[1], name));
  }
  return x;
}

/// Of two factors, the gradient of one needs the other.
Operator::Needs other_factor(ArgumentSet wanted) {
  Operator::Needs needs;
  if (wanted.has(0)) needs.inputs.add(1);
  if (wanted.has(1)) needs.inputs.add(0);
  return needs;
}

Cost product_cost(const SparseMatrix& matrix, std::int64_t row_size, const Shapes& results) {
  const double numbers = static_cast<double>(matrix.num_entries()) * static_cast<double>(row_size);
  return {numbers + static_cast<double>(num_numbers(results[0])), 2 * numbers};
}

class EdgeDot final : public OperatorOf<EdgeDot> {
 public:
  EdgeDot(SparseMatrix matrix, std::int64_t heads) : matrix_(std::move(matrix)), heads_(heads) {}
  std::string name() const override { return "edge_dot"; }
  Shapes infer(const Shapes& inputs) const override {
    const Checks checks("edge_dot", inputs);
    const Shape& x = check_factor(checks, 0, "x", matrix_.num_rows(), heads_);
    checks.shape(1, "y", {matrix_.num_cols(), x[1]});
    return {{matrix_.num_entries(), heads_}};
  }
  Needs backward_needs(ArgumentSet wanted) const override { return other_factor(wanted); }
  Cost cost(const Shapes& inputs, const Shapes& results) const override {
    return product_cost(matrix_, inputs[0][1], results);
  }
  PartRule part_rule(const Shapes& /*inputs*/) const override {
    return {.result = PartRule::Result::kOwnRows,
            .kind = RowKind::kEntries,
            .entries = &matrix_,
            .gathers = {{1, RowKind::kNodes, 1}}};
  }

  template <class T>
  void forward_pass(const Call<T>& call) const {
    dots(call, matrix_, call.shapes[1], heads_, call.inputs[0], call.inputs[1], call.outputs[0]);
  }
  template <class T>
  void backward_pass(const Call<T>& call) const {
    if (T* grad_x = call.input_grads[0]) {
      products(call, rows_of(matrix_), call.shapes[1], heads_, call.grads[0], call.inputs[1],
               grad_x);
    }
    if (T* grad_y = call.input_grads[1]) {
      products(call, columns_of(matrix_), call.shapes[0], heads_, call.grads[0], call.inputs[0],
               grad_y);
    }
  }

 private:
  SparseMatrix matrix_;
  std::int64_t heads_;
};

class EdgeSpmm final : public OperatorOf<EdgeSpmm> {
 public:
  explicit EdgeSpmm(SparseMatrix matrix) : matrix_(std::move(matrix)) {}
  std::string name() const override { return "edge_spmm"; }
  Shapes infer(const Shapes& inputs) const override {
    const Checks checks("edge_spmm", inputs);
    const Shape& values = checks.shape(0, "values", {matrix_.num_entries(), -1});
    const Shape& x = check_factor(checks, 1, "x", matrix_.num_cols(), values[1]);
    return {{matrix_.num_rows(), x[1]}};
  }
  Needs backward_needs(ArgumentSet wanted) const override { return other_factor(wanted); }
  Cost cost(const Shapes& inputs, const Shapes& results) const override {
    return product_cost(matrix_, inputs[1][1], results);
  }
  PartRule part_rule(const Shapes& /*inputs*/) const override {
    return {.result = PartRule::Result::kOwnRows,
            .kind = RowKind::kNodes,
            .gathers = {{1, RowKind::kNodes, 1}}};
  }

  template <class T>
  void forward_pass(const Call<T>& call) const {
    products(call, rows_of(matrix_), call.shapes[1], call.shapes[0][1], call.inputs[0],
             call.inputs[1], call.outputs[0]);
  }
  template <class T>
  void backward_pass(const Call<T>& call) const {
    const std::int64_t heads = call.shapes[0][1];
    if (T* grad_values = call.input_grads[0]) {
      dots(call, matrix_, call.shapes[1], heads, call.grads[0], call.inputs[1], grad_values);
    }
    if (T* grad_x = call.input_grads[1]) {
      products(call, columns_of(matrix_), call.result_shapes[0], heads, call.inputs[0],
               call.grads[0], grad_x);
    }
  }

 private:
  SparseMatrix matrix_;
};

/// The gradients are products with the complex matrix of the entries' gradients g: of x, with g;
/// of y, with conj(g) transposed.
class EdgeHermitian final : public OperatorOf<EdgeHermitian> {
 public:
  explicit EdgeHermitian(SparseMatrix matrix) : matrix_(std::move(matrix)) {}
  std::string name() const override { return "edge_hermitian"; }
  Shapes infer(const Shapes& inputs) const override {
    const Checks checks("edge_hermitian", inputs);
    const Shape& x = checks.shape(0, "x", {2, matrix_.num_rows(), -1});
    checks.shape(1, "y", {2, matrix_.num_cols(), x[2]});
    return {{2, matrix_.num_entries()}};
  }
  Needs backward_needs(ArgumentSet wanted) const override { return other_factor(wanted); }
  Cost cost(const Shapes& inputs, const Shapes& results) const override {
    Cost cost = product_cost(matrix_, 2 * inputs[0][2], results);
    cost.operations *= 2;
    return cost;
  }
  PartRule part_rule(const Shapes& /*inputs*/) const override {
    return {.result = PartRule::Result::kOwnRows,
            .kind = RowKind::kEntries,
            .entries = &matrix_,
            .gathers = {{1, RowKind::kNodes, 2}}};
  }

  template <class T>
  void forward_pass(const Call<T>& call) const {
    kernels::spmm_values_backward<T>(call.executor, rows_of(matrix_), shape(call, 1),
                                     call.inputs[1], call.inputs[0], call.outputs[0],
                                     call.outputs[0] + matrix_.num_entries());
  }
  template <class T>
  void backward_pass(const Call<T>& call) const {
    kernels::SparseValues<T> entries;
    entries.real = call.grads[0];
    entries.imag = call.grads[0] + matrix_.num_entries();
    if (T* grad_x = call.input_grads[0]) {
      kernels::spmm(call.executor, rows_of(matrix_), entries, shape(call, 1), call.inputs[1],
                    grad_x);
    }
    if (T* grad_y = call.input_grads[1]) {
      entries.conjugate = true;
      kernels::spmm(call.executor, columns_of(matrix_), entries, shape(call, 0), call.inputs[0],
                    grad_y);
    }
  }

 private:
  /// Of a dense factor, x or y.
  template <class T>
  static kernels::SparseShape shape(const Call<T>& call, std::size_t factor) {
    return {2, call.shapes[factor][1], call.shapes[factor][2]};
  }

  SparseMatrix matrix_;
};

}  // namespace

OperatorPtr edge_hermitian_operator(SparseMatrix matrix) {
  return std::make_shared<EdgeHermitian>(std::move(matrix));
}
Value edge_hermitian(Value x, Value y, const SparseMatrix& matrix) {
  return x.program().apply_one(edge_hermitian_operator(matrix), {x, y});
}

OperatorPtr edge_dot_operator(SparseMatrix matrix, std::int64_t heads) {
  return std::make_shared<EdgeDot>(std::move(matrix), heads);
}
Value edge_dot(Value x, Value y, const SparseMatrix& matrix, std::int64_t heads) {
  return x.program().apply_one(edge_dot_operator(matrix, heads), {x, y});
}

OperatorPtr edge_spmm_operator(SparseMatrix matrix) {
  return std::make_shared<EdgeSpmm>(std::move(matrix));
}
Value edge_spmm(Value values, Value x, const SparseMatrix& matrix) {
  return x.program().apply_one(edge_spmm_operator(matrix), {values, x});
}

}  // namespace dsnn::engine
