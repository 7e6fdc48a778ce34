#pragma once

#include "dsnn/sheaf/options.h"

#include "kernels/executor.h"
#include "util/internal_api.h"

#include <cstdint>

namespace dsnn::kernels {

/// A batch of orthogonal (real) or unitary (complex) matrices. A complex array is two real ones,
/// the real parts and then the imaginary parts.
struct OrthogonalBatch {
  OrthogonalMethod method = OrthogonalMethod::kHouseholder;
  bool is_complex = false;
  int dim = 1;             // d; at most 3 for Euler
  std::int64_t count = 0;  // B
};

/// Parameters of one matrix: d(d-1)/2 for Householder and Euler, d(d+1)/2 for the others.
DSNN_INTERNAL_API std::int64_t num_orthogonal_params(OrthogonalMethod method, std::int64_t dim);

/// Q_b from the parameters of matrix b, for every b: [eq:orthogonal-householder],
/// [eq:orthogonal-cayley], [eq:orthogonal-exponential] or [eq:orthogonal-euler].
/// params: [B, p]; result: [B, d, d], with a leading dimension of 2 if complex. T is float or
/// double. Matrices are independent: the same bits for any batch and number of threads.
template <class T>
DSNN_INTERNAL_API void orthogonal(const Executor& executor, const OrthogonalBatch& batch,
                                  const T* params, T* result);

/// From grad = d loss / d Q, shaped as the result, the same for the parameters. Q is recomputed,
/// which is cheaper than reading it.
template <class T>
DSNN_INTERNAL_API void orthogonal_backward(const Executor& executor, const OrthogonalBatch& batch,
                                           const T* params, const T* grad, T* grad_params);

}  // namespace dsnn::kernels
