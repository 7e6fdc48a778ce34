#include "dsnn/engine/program.h"

#include "dsnn/util/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <stdexcept>
#include <utility>

namespace dsnn::engine {

const Shape& Value::shape() const { return program_->tensor(id_).shape; }

Weight Weight::first(std::int64_t count) const {
  if (count == shape[0]) return *this;
  Weight part = *this;
  part.shape[0] = count;
  part.name += fmt::format("[:{}]", count);
  return part;
}

Value Operand::in(Program& program) const {
  if (weight_ != nullptr) return program.parameter(*weight_);
  if (value_.is_there() && &value_.program() != &program) {
    throw std::logic_error("a value of one program is used in another");
  }
  return value_;
}

// --- constants ---

struct Constant::Data {
  std::vector<float> floats;
  std::vector<double> doubles;
  std::mutex mutex;
};

Constant::Constant(std::vector<float> numbers) : data_(std::make_unique<Data>()) {
  data_->floats = std::move(numbers);
}
Constant::Constant(std::vector<double> numbers) : data_(std::make_unique<Data>()) {
  data_->doubles = std::move(numbers);
}
Constant::~Constant() = default;

std::int64_t Constant::size() const {
  return static_cast<std::int64_t>(std::max(data_->floats.size(), data_->doubles.size()));
}

template <>
DSNN_API const float* Constant::numbers<float>() const {
  const std::lock_guard lock(data_->mutex);
  if (data_->floats.empty()) data_->floats.assign(data_->doubles.begin(), data_->doubles.end());
  return data_->floats.data();
}

template <>
DSNN_API const double* Constant::numbers<double>() const {
  const std::lock_guard lock(data_->mutex);
  if (data_->doubles.empty()) data_->doubles.assign(data_->floats.begin(), data_->floats.end());
  return data_->doubles.data();
}

// --- programs ---

Value Program::add(Tensor tensor) {
  const int id = static_cast<int>(tensors_.size());
  if (tensor.root < 0) tensor.root = id;
  tensors_.push_back(std::move(tensor));
  return {this, id};
}

Rewriter::~Rewriter() = default;

std::vector<Value> Program::apply(OperatorPtr op, const std::vector<Operand>& inputs) {
  std::vector<Value> values;
  for (const Operand& input : inputs) {
    values.push_back(input.is_there() ? input.in(*this) : Value());
  }
  if (rewriter_ && !is_differentiated_) return rewriter_->apply(*this, op, std::move(values));
  return append(std::move(op), values);
}

std::vector<Value> Program::append(OperatorPtr op, const std::vector<Value>& inputs) {
  Step step;
  for (const Value& value : inputs) {
    step.inputs.push_back(value.id());
    step.shapes.add(value.is_there() ? std::optional(value.shape()) : std::nullopt);
  }
  step.result_shapes = op->infer(step.shapes);
  std::vector<Value> results;
  for (std::size_t i = 0; i < step.result_shapes.size(); ++i) {
    results.push_back(add({.shape = step.result_shapes[i]}));
    step.outputs.push_back(results.back().id());
  }
  step.op = std::move(op);
  steps_.push_back(std::move(step));
  return results;
}

Value Program::apply_one(OperatorPtr op, const std::vector<Operand>& inputs) {
  return apply(std::move(op), inputs).front();
}

Value Program::parameter(const Weight& weight) {
  const std::pair place(weight.offset, num_numbers(weight.shape));
  const auto found = parameters_.find(place);
  if (found != parameters_.end()) return {this, found->second};
  const Value value = add({.shape = weight.shape,
                           .kind = Kind::kParameter,
                           .offset = weight.offset,
                           .name = weight.name});
  parameters_[place] = value.id();
  return value;
}

Value Program::constant(Shape shape, std::shared_ptr<const Constant> numbers) {
  if (numbers->size() != num_numbers(shape)) {
    throw Error(
        fmt::format("constant: {} elements for shape {}", numbers->size(), shape_text(shape)));
  }
  return add({.shape = std::move(shape), .kind = Kind::kConstant, .numbers = std::move(numbers)});
}

Value Program::constant(Shape shape, std::vector<double> numbers) {
  return constant(std::move(shape), std::make_shared<const Constant>(std::move(numbers)));
}

Value Program::zeros(const Shape& shape) {
  return constant(shape, std::vector<double>(static_cast<std::size_t>(num_numbers(shape)), 0));
}

Value Program::reshape(Value value, Shape shape) {
  if (num_numbers(shape) != num_numbers(value.shape())) {
    throw Error(fmt::format("reshape: {} and {} have different numbers of elements",
                            shape_text(shape), shape_text(value.shape())));
  }
  if (shape == value.shape()) return value;
  return add({.shape = std::move(shape),
              .root = root(value.id()),
              .is_detached = tensor(value.id()).is_detached});
}

Value Program::detach(Value value) {
  return add({.shape = value.shape(), .root = root(value.id()), .is_detached = true});
}

void Program::mark(Value value, std::string part) {
  tensors_[static_cast<std::size_t>(value.id())].part = std::move(part);
}

Value Program::marked(const std::string& part) {
  const auto found = std::ranges::find(tensors_, part, &Tensor::part);
  return found == tensors_.end() ? Value()
                                 : Value(this, static_cast<int>(found - tensors_.begin()));
}

void Program::keep(Value value) {
  tensors_[static_cast<std::size_t>(root(value.id()))].is_kept = true;
}

}  // namespace dsnn::engine
