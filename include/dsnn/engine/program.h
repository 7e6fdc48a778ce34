#pragma once

#include "dsnn/engine/operator.h"
#include "dsnn/engine/shape.h"
#include "dsnn/export.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace dsnn::engine {

class Program;

/// A tensor of a program: its number there. Copies are cheap. A default one stands for an argument
/// that is left out.
class DSNN_API Value {
 public:
  Value() = default;
  bool is_there() const { return program_ != nullptr; }
  const Shape& shape() const;
  std::int64_t size(std::size_t axis) const { return shape()[axis]; }
  Program& program() const { return *program_; }
  int id() const { return id_; }

 private:
  friend class Program;
  Value(Program* program, int id) : program_(program), id_(id) {}

  Program* program_ = nullptr;
  int id_ = -1;
};

/// A learned tensor: where it lies among all weights of a model, which are one array.
struct DSNN_API Weight {
  std::string name;
  Shape shape;
  std::int64_t offset = -1;  ///< negative: there is none

  bool is_there() const { return offset >= 0; }
  /// The first `count` of what its first axis has.
  Weight first(std::int64_t count) const;
};

/// What operators take: a value, a weight, or nothing.
class DSNN_API Operand {
 public:
  Operand() = default;
  Operand(Value value) : value_(value) {}
  Operand(const Weight& weight) : weight_(weight.is_there() ? &weight : nullptr) {}

  bool is_there() const { return value_.is_there() || weight_ != nullptr; }
  const Shape& shape() const { return weight_ != nullptr ? weight_->shape : value_.shape(); }
  /// As a value of this program.
  Value in(Program& program) const;

 private:
  Value value_;
  const Weight* weight_ = nullptr;
};

/// Numbers that no pass changes, in either precision; made from the other one when first asked for.
class DSNN_API Constant {
 public:
  explicit Constant(std::vector<float> numbers);
  explicit Constant(std::vector<double> numbers);
  ~Constant();
  std::int64_t size() const;
  template <class T>
  const T* numbers() const;

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

/// One operator in a program, forward or backward: which values it reads and writes. -1: none.
struct Step {
  OperatorPtr op;
  bool is_backward = false;
  Shapes shapes, result_shapes;
  std::vector<int> inputs, outputs;     ///< those that the pass touches
  std::vector<int> grads, input_grads;  ///< backward only
};

/// Operators in the order in which they run. Append-only, and so in an order that works.
class DSNN_API Program {
 public:
  Program() = default;
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  /// Appends an operator and returns its results. Throws Error if the arguments do not fit.
  std::vector<Value> apply(OperatorPtr op, const std::vector<Operand>& inputs);
  /// The same for one with one result.
  Value apply_one(OperatorPtr op, const std::vector<Operand>& inputs);

  Value parameter(const Weight& weight);
  Value constant(Shape shape, std::shared_ptr<const Constant> numbers);
  /// The same for numbers that no other program shares.
  Value constant(Shape shape, std::vector<double> numbers);
  Value zeros(const Shape& shape);
  /// The same numbers in another shape; moves nothing.
  Value reshape(Value value, Shape shape);

  /// Names what comes out of a part of a model, for those who look for where numbers go wrong, or
  /// into what was learned.
  void mark(Value value, std::string part);
  /// The value of that name; none if there is none.
  Value marked(const std::string& part);
  /// Its numbers are read after the program has run.
  void keep(Value value);

  /// Appends the gradient of a value with one number in all weights that it depends on: the
  /// backward passes of the operators, in reverse. Throws Error if it was called before: there are
  /// no second derivatives.
  ///
  /// With `recomputes`, results of cheap operators far from the end are made again where they are
  /// needed instead of being kept: less memory, a little more time, the same bits.
  void differentiate(Value loss, bool recomputes = false);

  // --- what there is ---

  enum class Kind { kResult, kParameter, kConstant, kGradient };
  struct Tensor {
    Shape shape;
    Kind kind = Kind::kResult;
    int root = -1;             ///< the value whose memory it shares; itself for most
    std::int64_t offset = -1;  ///< of a parameter or of its gradient, among all weights
    std::shared_ptr<const Constant> numbers = {};  ///< of a constant
    std::string name = {};                         ///< of a parameter
    std::string part = {};                         ///< what it comes out of, where marked
    bool is_kept = false;
  };
  const std::vector<Tensor>& tensors() const { return tensors_; }
  const std::vector<Step>& steps() const { return steps_; }
  /// Where the gradients begin among the steps; all of them before differentiate().
  std::size_t num_forward_steps() const {
    return is_differentiated_ ? num_forward_steps_ : steps_.size();
  }
  bool is_differentiated() const { return is_differentiated_; }
  const Tensor& tensor(int id) const { return tensors_[static_cast<std::size_t>(id)]; }
  /// The value whose memory this one shares.
  int root(int id) const { return tensor(id).root; }

 private:
  class Differentiation;
  Value add(Tensor tensor);

  std::vector<Tensor> tensors_;
  std::vector<Step> steps_;
  // By offset and length: one without numbers lies where the next one does.
  std::map<std::pair<std::int64_t, std::int64_t>, int> parameters_;
  std::size_t num_forward_steps_ = 0;
  bool is_differentiated_ = false;
};

}  // namespace dsnn::engine
