#pragma once

#include "dsnn/engine/shape.h"
#include "dsnn/export.h"

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>

namespace dsnn::kernels {
class Executor;
}

namespace dsnn::engine {

/// What an operator works on: bare arrays. T is float or double.
template <class T>
struct Call {
  const kernels::Executor& executor;  ///< where threads come from
  std::uint64_t seed = 0;             ///< of this pass: dropout is a function of it
  const Shapes& shapes;               ///< of the arguments
  const Shapes& result_shapes;
  /// All arguments and results, in their places. Null: left out or, on the way back, not needed.
  std::span<const T* const> inputs;
  std::span<T* const> outputs;
  /// On the way back: the gradients of the results, and where those of the arguments go (null: not
  /// asked for).
  std::span<const T* const> grads = {};
  std::span<T* const> input_grads = {};
};

/// A set of arguments or results, by their numbers.
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

/// What a pass over an operator moves and computes, about.
struct Cost {
  double numbers = 0;     ///< read and written
  double operations = 0;  ///< on floating-point numbers
};

/// A function of tensors with its gradient: name, shape rule, forward and backward pass, cost. One
/// small file each, above one kernel; everything generic is written against this interface.
///
/// Operators are immutable and may be run by several threads at once. They hold what is not a
/// tensor (options, graphs, sparse matrices).
class DSNN_API Operator {
 public:
  virtual ~Operator();

  virtual std::string name() const = 0;
  /// "relu, dropout 0.5"; empty: there is nothing to say.
  virtual std::string attributes() const;

  /// The shapes of the results. Throws Error, with the operator's name and the argument's, for
  /// arguments that do not fit.
  virtual Shapes infer(const Shapes& inputs) const = 0;

  virtual void forward(const Call<float>& call) const = 0;
  virtual void forward(const Call<double>& call) const = 0;
  /// Gradients are written over what was there.
  virtual void backward(const Call<float>& call) const = 0;
  virtual void backward(const Call<double>& call) const = 0;

  /// Arguments that have a gradient; the others never get one.
  virtual ArgumentSet differentiable() const;
  /// Results that may have one; the others are there for the way back.
  virtual ArgumentSet differentiable_results() const;
  /// Arguments and results that the backward pass reads, if it is asked for the gradients of these
  /// arguments.
  struct Needs {
    ArgumentSet inputs, outputs;
  };
  virtual Needs backward_needs(ArgumentSet wanted) const;

  /// Arguments in whose place the first result may be written.
  virtual ArgumentSet overwritable() const;
  /// Arguments whose gradient may be written in the place of the first result's gradient.
  virtual ArgumentSet overwritable_grad() const;
  /// Whether the gradient of this argument is that of the first result, number by number.
  virtual bool passes_grad(int input) const;

  /// Whether the forward pass costs so little that its results may be made again on the way back
  /// instead of being kept (Program::differentiate).
  virtual bool is_cheap() const;

  /// Of the forward pass. Without an override: every tensor once.
  virtual Cost cost(const Shapes& inputs, const Shapes& results) const;
  /// Memory that passes need beside arguments and results, in numbers.
  virtual std::int64_t scratch(const Shapes& inputs, const Shapes& results, bool backward) const;
};

using OperatorPtr = std::shared_ptr<const Operator>;

/// An operator whose passes are templates: Self has forward_pass<T>(call) and
/// backward_pass<T>(call).
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
