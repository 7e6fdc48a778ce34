// concat and split: each is the gradient of the other.
#include "dsnn/engine/operators/columns.h"

#include "engine/operators/checks.h"
#include "kernels/elementwise.h"
#include "kernels/rows.h"

#include <numeric>

namespace dsnn::engine {
namespace {

/// Copies parts [rows, width_i] to or from the columns of one matrix. Parts that are null are left
/// out.
template <class Part>
void for_parts(const Shapes& parts, const Part& part) {
  std::int64_t begin = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    part(i, begin, parts[i][1]);
    begin += parts[i][1];
  }
}

template <class T>
void join(const Call<T>& call, const Shapes& parts, std::span<const T* const> from,
          const Shape& whole, T* to) {
  for_parts(parts, [&](std::size_t i, std::int64_t begin, std::int64_t width) {
    kernels::copy_columns(call.executor, whole[0], width, from[i], width, to + begin, whole[1]);
  });
}

template <class T>
void cut(const Call<T>& call, const Shapes& parts, const Shape& whole, const T* from,
         std::span<T* const> to) {
  for_parts(parts, [&](std::size_t i, std::int64_t begin, std::int64_t width) {
    if (to[i] == nullptr) return;
    kernels::copy_columns(call.executor, whole[0], width, from + begin, whole[1], to[i], width);
  });
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
    copy(call, size, x, call.outputs[0]);
    copy(call, size, copies_imag_ ? x : nullptr, call.outputs[0] + size);
  }
  template <class T>
  void backward_pass(const Call<T>& call) const {
    const std::int64_t size = num_numbers(call.shapes[0]);
    const T* grad = call.grads[0];
    if (!copies_imag_) return copy(call, size, grad, call.input_grads[0]);
    kernels::combine(call.executor, size, 1, grad, 1, grad + size, 0, call.input_grads[0]);
  }

 private:
  template <class T>
  static void copy(const Call<T>& call, std::int64_t size, const T* from, T* to) {
    constexpr std::int64_t kRow = 4096;
    kernels::copy_columns(call.executor, size / kRow, kRow, from, kRow, to, kRow);
    const std::int64_t rest = size / kRow * kRow;
    kernels::copy_columns(call.executor, 1, size - rest, from == nullptr ? from : from + rest, 0,
                          to + rest, 0);
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
    for (std::int64_t half = 0; half < 2; ++half) {
      kernels::copy_columns(call.executor, rows, width, call.inputs[0] + half * width, 2 * width,
                            call.outputs[0] + half * rows * width, width);
    }
  }
  template <class T>
  void backward_pass(const Call<T>& call) const {
    const std::int64_t rows = call.shapes[0][0], width = call.shapes[0][1] / 2;
    for (std::int64_t half = 0; half < 2; ++half) {
      kernels::copy_columns(call.executor, rows, width, call.grads[0] + half * rows * width, width,
                            call.input_grads[0] + half * width, 2 * width);
    }
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
