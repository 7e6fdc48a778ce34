#pragma once

#include "dsnn/engine/function.h"
#include "dsnn/engine/program.h"
#include "dsnn/export.h"

#include <vector>

// Elementwise operators [eq:elementwise]. All are differentiable in their arguments.
namespace dsnn::engine {

/// a x + b y + c; y has the shape of x or is omitted.
DSNN_API OperatorPtr combine_operator(double a, double b, double c);
DSNN_API Value operator+(Value x, Value y);
DSNN_API Value operator-(Value x, Value y);
DSNN_API Value operator*(double factor, Value x);
DSNN_API Value operator-(double number, Value x);
/// (1 - share) x + share y
DSNN_API Value mix(Value x, Value y, double share);

/// x y, for equal shapes.
DSNN_API OperatorPtr multiply_operator();
DSNN_API Value operator*(Value x, Value y);

/// x times one element of a learned vector.
DSNN_API OperatorPtr times_number_operator(std::int64_t index);
DSNN_API Value times_number(Value x, const Operand& numbers, std::int64_t index = 0);

/// f(x)
DSNN_API OperatorPtr function_operator(Function function);
DSNN_API Value relu(Value x);
DSNN_API Value leaky_relu(Value x);
DSNN_API Value elu(Value x);
DSNN_API Value softplus(Value x);
DSNN_API Value tanh(Value x);

/// The elementwise maximum of several tensors of one shape; for ties, the first gets the gradient.
DSNN_API OperatorPtr maximum_operator();
DSNN_API Value maximum(const std::vector<Value>& values);

/// exp(x) / sum exp(x) of a vector.
DSNN_API OperatorPtr softmax_operator();
DSNN_API Value softmax(Value x);

}  // namespace dsnn::engine
