// The operators along edges except products, which are in edge_products.cpp.
#include "kernels/edges.h"

#include "dsnn/engine/operators/edges.h"

#include "engine/operators/checks.h"
#include "engine/operators/grad_place.h"
#include "engine/operators/sparse_arguments.h"

#include <cmath>
#include <utility>

namespace dsnn::engine {
namespace {

class EdgeSum final : public OperatorOf<EdgeSum> {
 public:
  explicit EdgeSum(SparseMatrix matrix) : matrix_(std::move(matrix)) {}
  std::string name() const override { return "edge_sum"; }
  Shapes infer(const Shapes& inputs) const override {
    const Checks checks("edge_sum", inputs);
    const Shape& left = checks.shape(0, "left", {matrix_.num_rows(), -1});
    checks.shape(1, "right", {matrix_.num_cols(), left[1]});
    return {{matrix_.num_entries(), left[1]}};
  }
  Needs backward_needs(ArgumentSet /*wanted*/) const override { return {}; }
  PartRule part_rule(const Shapes& /*inputs*/) const override {
    return {.result = PartRule::Result::kOwnRows,
            .kind = RowKind::kEntries,
            .entries = &matrix_,
            .gathers = {{1, RowKind::kNodes, 1}}};
  }

  template <class T>
  void forward_pass(const Call<T>& call) const {
    kernels::edge_sum(call.executor, rows_of(matrix_), call.shapes[0][1], call.inputs[0],
                      call.inputs[1], call.outputs[0]);
  }
  template <class T>
  void backward_pass(const Call<T>& call) const {
    for (std::size_t i = 0; i < 2; ++i) {
      if (call.input_grads[i] == nullptr) continue;
      kernels::edge_sum_backward(call.executor, i == 0 ? rows_of(matrix_) : columns_of(matrix_),
                                 call.shapes[0][1], call.grads[0], call.input_grads[i]);
    }
  }

 private:
  SparseMatrix matrix_;
};

/// Left and weight in one pass over rows, right in one over columns: the sum left_u + right_v is
/// the same either way.
class EdgeAttention final : public OperatorOf<EdgeAttention> {
 public:
  EdgeAttention(SparseMatrix matrix, double slope) : matrix_(std::move(matrix)), slope_(slope) {}
  std::string name() const override { return "edge_attention"; }
  std::string attributes() const override { return fmt::format("slope {:g}", slope_); }
  Shapes infer(const Shapes& inputs) const override {
    const Checks checks("edge_attention", inputs);
    const Shape& weight = checks.shape(2, "weight", {-1, -1});
    checks.shape(0, "left", {matrix_.num_rows(), num_numbers(weight)});
    checks.shape(1, "right", {matrix_.num_cols(), num_numbers(weight)});
    if (!std::isfinite(slope_))
      checks.fail(fmt::format("slope is {}, expected a finite number", slope_));
    return {{matrix_.num_entries(), weight[0]}};
  }
  Cost cost(const Shapes& inputs, const Shapes& results) const override {
    const double products =
        static_cast<double>(matrix_.num_entries()) * static_cast<double>(num_numbers(inputs[2]));
    return {products + static_cast<double>(num_numbers(results[0])), 4 * products};
  }
  PartRule part_rule(const Shapes& /*inputs*/) const override {
    return {.result = PartRule::Result::kOwnRows,
            .kind = RowKind::kEntries,
            .entries = &matrix_,
            .gathers = {{1, RowKind::kNodes, 1}}};
  }

  template <class T>
  void forward_pass(const Call<T>& call) const {
    kernels::edge_attention(call.executor, rows_of(matrix_), shape(call, matrix_.num_cols()),
                            static_cast<T>(slope_), call.inputs[0], call.inputs[1], call.inputs[2],
                            call.outputs[0]);
  }
  template <class T>
  void backward_pass(const Call<T>& call) const {
    if (call.input_grads[0] != nullptr || call.input_grads[2] != nullptr) {
      const GradPlace<T> left(call, 0), weight(call, 2);
      kernels::edge_attention_backward<T>(
          call.executor, rows_of(matrix_), shape(call, matrix_.num_cols()), static_cast<T>(slope_),
          call.inputs[0], call.inputs[1], call.inputs[2], call.grads[0], left, weight);
    }
    if (call.input_grads[1] == nullptr) return;
    kernels::edge_attention_backward<T>(call.executor, columns_of(matrix_),
                                        shape(call, matrix_.num_rows()), static_cast<T>(slope_),
                                        call.inputs[1], call.inputs[0], call.inputs[2],
                                        call.grads[0], call.input_grads[1], nullptr);
  }

 private:
  template <class T>
  static kernels::SparseShape shape(const Call<T>& call, std::int64_t num_cols) {
    return {1, num_cols, call.shapes[2][1], call.shapes[2][0]};
  }

  SparseMatrix matrix_;
  double slope_;
};

class EdgeSoftmax final : public OperatorOf<EdgeSoftmax> {
 public:
  explicit EdgeSoftmax(SparseMatrix matrix) : matrix_(std::move(matrix)) {}
  std::string name() const override { return "edge_softmax"; }
  Shapes infer(const Shapes& inputs) const override {
    return {Checks("edge_softmax", inputs).shape(0, "scores", {matrix_.num_entries(), -1})};
  }
  /// Needs the result, not the scores.
  Needs backward_needs(ArgumentSet /*wanted*/) const override { return {{}, {0}}; }
  Cost cost(const Shapes& /*inputs*/, const Shapes& results) const override {
    constexpr double kOperations = 20;  // of an exponential
    const auto size = static_cast<double>(num_numbers(results[0]));
    return {2 * size, kOperations * size};
  }
  PartRule part_rule(const Shapes& /*inputs*/) const override {
    return {.result = PartRule::Result::kOwnRows, .kind = RowKind::kEntries, .entries = &matrix_};
  }

  template <class T>
  void forward_pass(const Call<T>& call) const {
    kernels::edge_softmax(call.executor, rows_of(matrix_), call.shapes[0][1], call.inputs[0],
                          call.outputs[0]);
  }
  template <class T>
  void backward_pass(const Call<T>& call) const {
    kernels::edge_softmax_backward<T>(call.executor, rows_of(matrix_), call.shapes[0][1],
                                      call.outputs[0], call.grads[0], call.input_grads[0]);
  }

 private:
  SparseMatrix matrix_;
};

class NeighbourMax final : public OperatorOf<NeighbourMax> {
 public:
  explicit NeighbourMax(SparseMatrix matrix) : matrix_(std::move(matrix)) {}
  std::string name() const override { return "neighbour_max"; }
  Shapes infer(const Shapes& inputs) const override {
    const Shape& x = Checks("neighbour_max", inputs).shape(0, "x", {matrix_.num_cols(), -1});
    return {{matrix_.num_rows(), x[1]}};
  }
  /// Which entry was the largest.
  std::int64_t scratch(const Shapes& /*inputs*/, const Shapes& results,
                       bool backward) const override {
    return backward ? num_numbers(results[0]) : 0;
  }
  Cost cost(const Shapes& inputs, const Shapes& results) const override {
    const double numbers =
        static_cast<double>(matrix_.num_entries()) * static_cast<double>(inputs[0][1]);
    return {numbers + static_cast<double>(num_numbers(results[0])), numbers};
  }
  PartRule part_rule(const Shapes& /*inputs*/) const override {
    return {.result = PartRule::Result::kOwnRows,
            .kind = RowKind::kNodes,
            .gathers = {{0, RowKind::kNodes, 1}}};
  }

  template <class T>
  void forward_pass(const Call<T>& call) const {
    kernels::neighbour_max(call.executor, rows_of(matrix_), shape(call), call.inputs[0],
                           call.outputs[0]);
  }
  template <class T>
  void backward_pass(const Call<T>& call) const {
    kernels::neighbour_max_backward(call.executor, rows_of(matrix_), columns_of(matrix_),
                                    shape(call), call.inputs[0], call.grads[0],
                                    call.input_grads[0]);
  }

 private:
  template <class T>
  kernels::SparseShape shape(const Call<T>& call) const {
    return {1, matrix_.num_cols(), call.shapes[0][1]};
  }

  SparseMatrix matrix_;
};

}  // namespace

OperatorPtr edge_sum_operator(SparseMatrix matrix) {
  return std::make_shared<EdgeSum>(std::move(matrix));
}
Value edge_sum(Value left, Value right, const SparseMatrix& matrix) {
  return left.program().apply_one(edge_sum_operator(matrix), {left, right});
}

OperatorPtr edge_attention_operator(SparseMatrix matrix, double slope) {
  return std::make_shared<EdgeAttention>(std::move(matrix), slope);
}
Value edge_attention(Value left, Value right, const Operand& weight, const SparseMatrix& matrix,
                     double slope) {
  return left.program().apply_one(edge_attention_operator(matrix, slope), {left, right, weight});
}

OperatorPtr edge_softmax_operator(SparseMatrix matrix) {
  return std::make_shared<EdgeSoftmax>(std::move(matrix));
}
Value edge_softmax(Value scores, const SparseMatrix& matrix) {
  return scores.program().apply_one(edge_softmax_operator(matrix), {scores});
}

OperatorPtr neighbour_max_operator(SparseMatrix matrix) {
  return std::make_shared<NeighbourMax>(std::move(matrix));
}
Value neighbour_max(Value x, const SparseMatrix& matrix) {
  return x.program().apply_one(neighbour_max_operator(matrix), {x});
}

}  // namespace dsnn::engine
