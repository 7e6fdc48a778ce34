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

/// A reference to a tensor of a program. Copies are cheap. A default-constructed value stands for
/// an omitted argument.
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

/// A learned tensor: its position in the array of all weights of a model.
struct DSNN_API Weight {
  std::string name;
  Shape shape;
  std::int64_t offset = -1;  ///< negative: no weight

  bool is_there() const { return offset >= 0; }
  /// The first `count` entries along the first axis.
  Weight first(std::int64_t count) const;
};

/// An argument of an operator: a value, a weight, or nothing.
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

/// Constant values in either precision; the other precision is converted on first use.
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

/// One operator in a program, forward or backward, with the values it reads and writes; -1: none.
struct Step {
  OperatorPtr op;
  bool is_backward = false;
  Shapes shapes, result_shapes;
  std::vector<int> inputs, outputs;     ///< those used by the pass
  std::vector<int> grads, input_grads;  ///< backward only
};

/// Sees every operator that a model appends to a program, and may append others in its place: how
/// the program of a graph becomes that of a part (docs/scale.md).
class DSNN_API Rewriter {
 public:
  virtual ~Rewriter();
  /// Appends with Program::append(), and returns the results of the operator.
  virtual std::vector<Value> apply(Program& program, const OperatorPtr& op,
                                   std::vector<Value> inputs) = 0;
};

/// Operators in execution order. Append-only, and therefore topologically ordered.
class DSNN_API Program {
 public:
  Program() = default;
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  /// Appends an operator, or what the rewriter makes of it, and returns its results. Throws Error
  /// if the arguments do not match.
  std::vector<Value> apply(OperatorPtr op, const std::vector<Operand>& inputs);
  /// Appends an operator as it is. Omitted arguments are empty values.
  std::vector<Value> append(OperatorPtr op, const std::vector<Value>& inputs);
  /// For all operators that are applied from now on, until differentiate().
  void set_rewriter(std::shared_ptr<Rewriter> rewriter) { rewriter_ = std::move(rewriter); }
  /// The same for an operator with one result.
  Value apply_one(OperatorPtr op, const std::vector<Operand>& inputs);

  Value parameter(const Weight& weight);
  Value constant(Shape shape, std::shared_ptr<const Constant> numbers);
  /// The same for values that no other program shares.
  Value constant(Shape shape, std::vector<double> numbers);
  Value zeros(const Shape& shape);
  /// The same elements in another shape, without copying.
  Value reshape(Value value, Shape shape);
  /// The same elements, without copying, as a value that no gradient passes through: backward
  /// passes that lead only to it are not computed.
  Value detach(Value value);

  /// Names the output of a part of a model, to locate non-finite values or to inspect what was
  /// learned.
  void mark(Value value, std::string part);
  /// The value with this name, or an empty one.
  Value marked(const std::string& part);
  /// Keeps the elements of a value readable after the program has run.
  void keep(Value value);

  /// Appends the gradient of a scalar value with respect to all weights that it depends on: the
  /// backward passes of the operators, in reverse. Throws Error if called twice: there are no
  /// second derivatives.
  ///
  /// With `recomputes`, results of cheap operators far from the end are recomputed when needed
  /// instead of being stored: less memory, slightly more time, the same bits.
  void differentiate(Value loss, bool recomputes = false);

  // --- contents ---

  enum class Kind { kResult, kParameter, kConstant, kGradient };
  struct Tensor {
    Shape shape;
    Kind kind = Kind::kResult;
    int root = -1;             ///< the value whose memory it shares; itself for most
    std::int64_t offset = -1;  ///< of a parameter or its gradient, in the array of weights
    std::shared_ptr<const Constant> numbers = {};  ///< of a constant
    std::string name = {};                         ///< of a parameter
    std::string part = {};                         ///< the part of the model, if marked
    bool is_kept = false;
    bool is_detached = false;  ///< no gradient passes through it
  };
  const std::vector<Tensor>& tensors() const { return tensors_; }
  const std::vector<Step>& steps() const { return steps_; }
  /// The index of the first backward step; the number of steps before differentiate().
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
  // By offset and length: an empty weight has the same offset as the next one.
  std::map<std::pair<std::int64_t, std::int64_t>, int> parameters_;
  std::size_t num_forward_steps_ = 0;
  bool is_differentiated_ = false;
  std::shared_ptr<Rewriter> rewriter_;
};

}  // namespace dsnn::engine
