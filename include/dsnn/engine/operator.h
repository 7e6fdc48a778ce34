#pragma once

#include "dsnn/engine/shape.h"
#include "dsnn/export.h"

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace dsnn::kernels {
class Executor;
}

namespace dsnn::engine {

/// The arrays that an operator works on. T is float or double.
template <class T>
struct Call {
  const kernels::Executor& executor;  ///< provides threads
  std::uint64_t seed = 0;             ///< of this pass, for dropout
  const Shapes& shapes;               ///< of the arguments
  const Shapes& result_shapes;
  /// All arguments and results, in order. Null: omitted or, in the backward pass, not needed.
  std::span<const T* const> inputs;
  std::span<T* const> outputs;
  /// Backward pass: the gradients of the results, and the destinations of the gradients of the
  /// arguments (null: not requested).
  std::span<const T* const> grads = {};
  std::span<T* const> input_grads = {};
};

/// A set of arguments or results, by index.
class ArgumentSet {
 public:
  constexpr ArgumentSet() = default;
  constexpr ArgumentSet(std::initializer_list<int> numbers) {
    for (const int i : numbers) add(i);
  }
  static constexpr ArgumentSet all() {
    ArgumentSet set;
    set.bits_ = ~std::uint64_t{0};
    return set;
  }
  constexpr void add(int i) { bits_ |= std::uint64_t{1} << i; }
  constexpr bool has(int i) const { return (bits_ >> i & 1) != 0; }
  constexpr bool empty() const { return bits_ == 0; }

 private:
  std::uint64_t bits_ = 0;
};

/// Approximate memory traffic and computation of one pass of an operator.
struct Cost {
  double numbers = 0;     ///< elements read and written
  double operations = 0;  ///< floating-point operations
};

class Operator;
class SparseMatrix;
struct Dropout;
using OperatorPtr = std::shared_ptr<const Operator>;

/// What the rows of a tensor belong to.
enum class RowKind {
  kNone,       ///< not to a graph: a weight, a loss
  kNodes,      ///< nodes
  kHalfEdges,  ///< half-edges, which belong to their owners
  kEntries     ///< entries of a sparse matrix, which belong to the nodes of their rows
};

/// How an operator works on a part of a graph, which also has rows of nodes of other parts
/// (docs/scale.md). Those rows of a result may be missing: what is in them is not used.
struct PartRule {
  enum class Result {
    kUnknown,   ///< the operator is not available in parts
    kRowByRow,  ///< computed from the same rows of the arguments, and missing where one is missing
    kOwnRows,   ///< missing in all rows of other parts
    kAllRows    ///< complete
  };
  Result result = Result::kUnknown;
  RowKind kind = RowKind::kNone;          ///< of the first result, unless row by row
  const SparseMatrix* entries = nullptr;  ///< of kEntries: the matrix

  /// An argument of which rows of other parts are read. They must not be missing.
  struct Gather {
    int argument;
    RowKind kind;
    std::int64_t planes;  ///< the length of the axes before that of the rows
  };
  std::vector<Gather> gathers = {};

  /// Built-in dropout, or null. Its positions are those in the whole graph, so that it is replaced:
  /// by dropout of an argument or of the result, or of the entries of a matrix of features.
  enum class DropoutOf { kArgument, kResult, kFeatures };
  const Dropout* dropout = nullptr;
  DropoutOf dropout_of = DropoutOf::kArgument;
  OperatorPtr without_dropout = nullptr;  ///< null: nothing is left

  static PartRule row_by_row() { return {.result = Result::kRowByRow}; }
};

/// A function of tensors with its gradient: name, shape rule, forward and backward pass, cost. Each
/// is one small file on top of one kernel; generic code uses only this interface.
///
/// Operators are immutable and may be run by several threads at once. They store everything that is
/// not a tensor (options, graphs, sparse matrices).
class DSNN_API Operator {
 public:
  virtual ~Operator();

  virtual std::string name() const = 0;
  /// Options for display, such as "relu, dropout 0.5"; may be empty.
  virtual std::string attributes() const;

  /// The shapes of the results. Throws Error that names the operator and the argument if the shapes
  /// of the arguments do not match.
  virtual Shapes infer(const Shapes& inputs) const = 0;

  virtual void forward(const Call<float>& call) const = 0;
  virtual void forward(const Call<double>& call) const = 0;
  /// Overwrites the gradients.
  virtual void backward(const Call<float>& call) const = 0;
  virtual void backward(const Call<double>& call) const = 0;

  /// Arguments that have a gradient.
  virtual ArgumentSet differentiable() const;
  /// Results that may have a gradient; the others serve the backward pass.
  virtual ArgumentSet differentiable_results() const;
  /// Arguments and results that the backward pass reads to compute the gradients of the wanted
  /// arguments.
  struct Needs {
    ArgumentSet inputs, outputs;
  };
  virtual Needs backward_needs(ArgumentSet wanted) const;

  /// Arguments that the first result may overwrite.
  virtual ArgumentSet overwritable() const;
  /// Arguments whose gradient may overwrite the gradient of the first result.
  virtual ArgumentSet overwritable_grad() const;
  /// Whether the gradient of this argument equals that of the first result, element by element.
  virtual bool passes_grad(int input) const;

  /// Whether the forward pass is so cheap that its results may be recomputed in the backward pass
  /// instead of being stored (Program::differentiate).
  virtual bool is_cheap() const;

  /// The cost of the forward pass. Default: every tensor is read or written once.
  virtual Cost cost(const Shapes& inputs, const Shapes& results) const;
  /// Scratch memory of a pass, in elements.
  virtual std::int64_t scratch(const Shapes& inputs, const Shapes& results, bool backward) const;

  /// How it works on a part of a graph. Default: it does not.
  virtual PartRule part_rule(const Shapes& inputs) const;
};

/// An operator with template passes: Self has forward_pass<T>(call) and backward_pass<T>(call).
template <class Self>
class OperatorOf : public Operator {
 public:
  void forward(const Call<float>& call) const final { self().forward_pass(call); }
  void forward(const Call<double>& call) const final { self().forward_pass(call); }
  void backward(const Call<float>& call) const final { self().backward_pass(call); }
  void backward(const Call<double>& call) const final { self().backward_pass(call); }

 private:
  const Self& self() const { return static_cast<const Self&>(*this); }
};

}  // namespace dsnn::engine
