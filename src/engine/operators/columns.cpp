// concat and split: each is the gradient of the other.
#include "dsnn/engine/operators/columns.h"

#include "engine/operators/checks.h"
#include "kernels/elementwise.h"
#include "kernels/rows.h"

#include <array>
#include <initializer_list>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace dsnn::engine {
namespace {

/// Copies parts [rows, width_i] to or from the columns of one matrix. Parts that are null are left
/// out.
template <class T>
class ColumnCopies {
 public:
  ColumnCopies(const Call<T>& call, std::int64_t rows) : call_(call), rows_(rows) {}
  void add(std::int64_t columns, const T* from, std::int64_t from_stride, T* to,
           std::int64_t to_stride) {
    if (to == nullptr) return;
    if (count_ == copies_.size()) run();
    copies_[count_++] = {columns, from, from_stride, to, to_stride};
  }
  /// A few copies at a time, without memory from the heap.
  void run() {
    const std::span<const kernels::ColumnCopy<T>> copies(copies_.data(), count_);
    kernels::copy_columns(call_.executor, rows_, copies);
    count_ = 0;
  }

 private:
  const Call<T>& call_;
  std::int64_t rows_;
  std::array<kernels::ColumnCopy<T>, 8> copies_;
  std::size_t count_ = 0;
};

template <class T>
void join(const Call<T>& call, const Shapes& parts, std::span<const T* const> from,
          const Shape& whole, T* to) {
  ColumnCopies<T> copies(call, whole[0]);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::int64_t width = parts[i][1];
    copies.add(width, from[i], width, to, whole[1]);
    to += width;
  }
  copies.run();
}

template <class T>
void cut(const Call<T>& call, const Shapes& parts, const Shape& whole, const T* from,
         std::span<T* const> to) {
  ColumnCopies<T> copies(call, whole[0]);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::int64_t width = parts[i][1];
    copies.add(width, from, whole[1], to[i], width);
    from += width;
  }
  copies.run();
}

class Concat final : public OperatorOf<Concat> {
 public:
  std::string name() const override { return "concat"; }
  Shapes infer(const Shapes& inputs) const override {
    const Checks checks("concat", inputs);
    const std::int64_t rows = checks.shape(0, "matrix 0", {-1, -1})[0];
    std::int64_t columns = 0;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      columns += checks.shape(i, fmt::format("matrix {}", i), {rows, -1})[1];
    }
    return {{rows, columns}};
  }
  Needs backward_needs(ArgumentSet /*wanted*/) const override { return {}; }
  PartRule part_rule(const Shapes& /*inputs*/) const override { return PartRule::row_by_row(); }

  template <class T>
  void forward_pass(const Call<T>& call) const {
    join(call, call.shapes, call.inputs, call.result_shapes[0], call.outputs[0]);
  }
  template <class T>
  void backward_pass(const Call<T>& call) const {
    cut(call, call.shapes, call.result_shapes[0], call.grads[0], call.input_grads);
  }
};

class Split final : public OperatorOf<Split> {
 public:
  explicit Split(std::vector<std::int64_t> widths) : widths_(std::move(widths)) {}
  std::string name() const override { return "split"; }
  Shapes infer(const Shapes& inputs) const override {
    const std::int64_t width = std::accumulate(widths_.begin(), widths_.end(), std::int64_t{0});
    const std::int64_t rows = Checks("split", inputs).shape(0, "matrix", {-1, width})[0];
    Shapes results;
    for (const std::int64_t columns : widths_) results.add(Shape{rows, columns});
    return results;
  }
  bool is_cheap() const override { return true; }
  Needs backward_needs(ArgumentSet /*wanted*/) const override { return {}; }
  PartRule part_rule(const Shapes& /*inputs*/) const override { return PartRule::row_by_row(); }

  template <class T>
  void forward_pass(const Call<T>& call) const {
    cut(call, call.result_shapes, call.shapes[0], call.inputs[0], call.outputs);
  }
  template <class T>
  void backward_pass(const Call<T>& call) const {
    join(call, call.result_shapes, call.grads, call.shapes[0], call.input_grads[0]);
  }

 private:
  std::vector<std::int64_t> widths_;
};

class ComplexPlanes final : public OperatorOf<ComplexPlanes> {
 public:
  explicit ComplexPlanes(bool copies_imag) : copies_imag_(copies_imag) {}
  std::string name() const override { return "complex_planes"; }
  std::string attributes() const override {
    return copies_imag_ ? "imaginary parts copied" : "imaginary parts 0";
  }
  Shapes infer(const Shapes& inputs) const override {
    Shape shape = Checks("complex_planes", inputs).there(0, "x");
    shape.insert(shape.begin(), 2);
    return {shape};
  }
  bool is_cheap() const override { return true; }
  Needs backward_needs(ArgumentSet /*wanted*/) const override { return {}; }
  PartRule part_rule(const Shapes& /*inputs*/) const override { return PartRule::row_by_row(); }

  template <class T>
  void forward_pass(const Call<T>& call) const {
    const std::int64_t size = num_numbers(call.shapes[0]);
    const T* x = call.inputs[0];
    T* out = call.outputs[0];
    copy<T>(call, size, {{x, out}, {copies_imag_ ? x : nullptr, out + size}});
  }
  template <class T>
  void backward_pass(const Call<T>& call) const {
    const std::int64_t size = num_numbers(call.shapes[0]);
    const T* grad = call.grads[0];
    if (!copies_imag_) return copy<T>(call, size, {{grad, call.input_grads[0]}});
    kernels::combine(call.executor, size, 1, grad, 1, grad + size, 0, call.input_grads[0]);
  }

 private:
  /// Arrays of this size, in rows that threads share.
  template <class T>
  static void copy(const Call<T>& call, std::int64_t size,
                   std::initializer_list<std::pair<const T*, T*>> arrays) {
    constexpr std::int64_t kRow = 4096;
    const std::int64_t whole = size / kRow * kRow, rest = size - whole;
    ColumnCopies<T> rows(call, whole / kRow), ends(call, 1);
    for (const auto& [from, to] : arrays) {
      rows.add(kRow, from, kRow, to, kRow);
      ends.add(rest, from == nullptr ? from : from + whole, 0, to + whole, 0);
    }
    if (whole > 0) rows.run();
    if (rest > 0) ends.run();
  }

  bool copies_imag_;
};

/// [rows, 2 k] to [2, rows, k].
class Halves final : public OperatorOf<Halves> {
 public:
  std::string name() const override { return "halves"; }
  Shapes infer(const Shapes& inputs) const override {
    const Checks checks("halves", inputs);
    const Shape& shape = checks.shape(0, "x", {-1, -1});
    if (shape[1] % 2 != 0)
      checks.fail(fmt::format("rows of {} columns cannot be halved", shape[1]));
    return {{2, shape[0], shape[1] / 2}};
  }
  bool is_cheap() const override { return true; }
  Needs backward_needs(ArgumentSet /*wanted*/) const override { return {}; }
  PartRule part_rule(const Shapes& /*inputs*/) const override { return PartRule::row_by_row(); }

  template <class T>
  void forward_pass(const Call<T>& call) const {
    const std::int64_t rows = call.shapes[0][0], width = call.shapes[0][1] / 2;
    ColumnCopies<T> copies(call, rows);
    for (std::int64_t half = 0; half < 2; ++half) {
      copies.add(width, call.inputs[0] + half * width, 2 * width,
                 call.outputs[0] + half * rows * width, width);
    }
    copies.run();
  }
  template <class T>
  void backward_pass(const Call<T>& call) const {
    const std::int64_t rows = call.shapes[0][0], width = call.shapes[0][1] / 2;
    ColumnCopies<T> copies(call, rows);
    for (std::int64_t half = 0; half < 2; ++half) {
      copies.add(width, call.grads[0] + half * rows * width, width,
                 call.input_grads[0] + half * width, 2 * width);
    }
    copies.run();
  }
};

}  // namespace

OperatorPtr concat_operator() { return std::make_shared<Concat>(); }
Value concat(const std::vector<Value>& matrices) {
  return matrices.front().program().apply_one(concat_operator(),
                                              {matrices.begin(), matrices.end()});
}

OperatorPtr split_operator(std::vector<std::int64_t> widths) {
  return std::make_shared<Split>(std::move(widths));
}
std::vector<Value> split(Value matrix, std::vector<std::int64_t> widths) {
  return matrix.program().apply(split_operator(std::move(widths)), {matrix});
}

OperatorPtr complex_planes_operator(bool copies_imag) {
  return std::make_shared<ComplexPlanes>(copies_imag);
}
Value complex_planes(Value x, bool copies_imag) {
  return x.program().apply_one(complex_planes_operator(copies_imag), {x});
}

OperatorPtr halves_operator() { return std::make_shared<Halves>(); }
Value halves(Value x) { return x.program().apply_one(halves_operator(), {x}); }

}  // namespace dsnn::engine
