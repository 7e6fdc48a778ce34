#pragma once

#include "dsnn/engine/program.h"
#include "dsnn/export.h"

#include <cstdint>
#include <vector>

// What moves numbers, and what is done to rows. All are differentiable in their arguments.
namespace dsnn::engine {

/// Matrices [rows, any] side by side.
DSNN_API OperatorPtr concat_operator();
DSNN_API Value concat(const std::vector<Value>& matrices);

/// A matrix cut into parts of so many columns, which together are all.
DSNN_API OperatorPtr split_operator(std::vector<std::int64_t> widths);
DSNN_API std::vector<Value> split(Value matrix, std::vector<std::int64_t> widths);

/// Real numbers [n, ...] as complex ones [2, n, ...] [eq:planes]: imaginary parts are 0, or as the
/// real parts.
DSNN_API OperatorPtr complex_planes_operator(bool copies_imag);
DSNN_API Value complex_planes(Value x, bool copies_imag);

/// The two halves of each row as planes: [rows, 2 k] to [2, rows, k].
DSNN_API OperatorPtr halves_operator();
DSNN_API Value halves(Value x);

/// Rows scaled to length 1 [eq:unit-rows]; rows of zeros stay.
DSNN_API OperatorPtr unit_rows_operator();
DSNN_API Value unit_rows(Value x);

/// factor sum_j x[i, j, k], x: [any, any, any].
DSNN_API OperatorPtr sum_middle_operator(double factor);
/// The sum over the axis before the last.
DSNN_API Value sum_axis(Value x);
/// The mean of so many heads side by side: [rows, heads * f] to [rows, f].
DSNN_API Value head_mean(Value x, std::int64_t heads);

/// x[r, h, :] . w[h, :] for every row and head [eq:head-dot]. x: [rows, heads * f], w: [heads, f];
/// result: [rows, heads].
DSNN_API OperatorPtr head_dot_operator();
DSNN_API Value head_dot(Value x, const Operand& weight);

/// x + (1 + i) b, and 0 where the real part is negative [eq:stalk-update]. x: [2, rows, f]; bias:
/// [f].
DSNN_API OperatorPtr complex_bias_relu_operator();
DSNN_API Value complex_bias_relu(Value x, const Operand& bias);

}  // namespace dsnn::engine
