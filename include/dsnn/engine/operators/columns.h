#pragma once

#include "dsnn/engine/program.h"
#include "dsnn/export.h"

#include <cstdint>
#include <vector>

// Concatenation, splitting and row operations. All are differentiable in their arguments.
namespace dsnn::engine {

/// Concatenates matrices [rows, any] by columns.
DSNN_API OperatorPtr concat_operator();
DSNN_API Value concat(const std::vector<Value>& matrices);

/// Splits a matrix into blocks of columns with the given widths, which add up to all columns.
DSNN_API OperatorPtr split_operator(std::vector<std::int64_t> widths);
DSNN_API std::vector<Value> split(Value matrix, std::vector<std::int64_t> widths);

/// Real values [n, ...] as complex values [2, n, ...] [eq:planes]: imaginary parts are 0 or copies
/// of the real parts.
DSNN_API OperatorPtr complex_planes_operator(bool copies_imag);
DSNN_API Value complex_planes(Value x, bool copies_imag);

/// The two halves of each row as planes: [rows, 2 k] to [2, rows, k].
DSNN_API OperatorPtr halves_operator();
DSNN_API Value halves(Value x);

/// Scales rows to length 1 [eq:unit-rows]; zero rows are unchanged.
DSNN_API OperatorPtr unit_rows_operator();
DSNN_API Value unit_rows(Value x);

/// Columns of mean 0, all divided by one number, so that their mean square is 1, plus a shift
/// [eq:centre-columns]. x: [rows, columns], or in planes [1 or 2, rows, columns]; shift: [columns]
/// or [planes, columns], or omitted; the result has the shape of x. The same bits for any number of
/// threads.
DSNN_API OperatorPtr centre_columns_operator();
DSNN_API Value centre_columns(Value x, const Operand& shift = {});

/// factor sum_j x[i, j, k], x: [any, any, any].
DSNN_API OperatorPtr sum_middle_operator(double factor);
/// The sum over the axis before the last.
DSNN_API Value sum_axis(Value x);
/// The mean over heads: [rows, heads * f] to [rows, f].
DSNN_API Value head_mean(Value x, std::int64_t heads);

/// x[r, h, :] . w[h, :] for every row and head [eq:head-dot]. x: [rows, heads * f], w: [heads, f];
/// result: [rows, heads].
DSNN_API OperatorPtr head_dot_operator();
DSNN_API Value head_dot(Value x, const Operand& weight);

/// x + (1 + i) b, set to 0 where the real part is negative [eq:stalk-update]. x: [2, rows, f];
/// bias: [f].
DSNN_API OperatorPtr complex_bias_relu_operator();
DSNN_API Value complex_bias_relu(Value x, const Operand& bias);

}  // namespace dsnn::engine
