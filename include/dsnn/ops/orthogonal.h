#pragma once

#include "dsnn/export.h"
#include "dsnn/ops/options.h"

#include <cstdint>

namespace at {
class Tensor;
}

namespace dsnn::ops {

/// Parameters of one dim x dim matrix: dim (dim - 1) / 2 for Householder and Euler,
/// dim (dim + 1) / 2 for Cayley and the matrix exponential.
DSNN_API std::int64_t num_orthogonal_params(OrthogonalMethod method, std::int64_t dim);

/// Orthogonal matrices from free parameters: [eq:orthogonal-householder], [eq:orthogonal-cayley],
/// [eq:orthogonal-exponential], [eq:orthogonal-euler]. Euler is for dim 1 to 3.
///
/// Real: params [B, p], result [B, dim, dim]. Unitary: params [2, B, p], real and imaginary parts,
/// result [2, B, dim, dim]. B is any. Differentiable once in params; only those are kept for it.
/// Time O(B dim^3), no memory beyond the result. The same bits for any number of threads, and for a
/// matrix alone as within a batch.
/// torch.ops.dsnn.orthogonal(params, dim, method), with 'householder', 'cayley', 'matrix_exp' or
/// 'euler'.
DSNN_API at::Tensor orthogonal(const at::Tensor& params, std::int64_t dim, OrthogonalMethod method);

}  // namespace dsnn::ops
