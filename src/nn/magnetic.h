#pragma once

#include "dsnn/nn/model.h"
#include "dsnn/ops/linear.h"
#include "dsnn/ops/sparse.h"

#include <ATen/core/Tensor.h>

#include <memory>

namespace dsnn::nn {

// Networks on Hermitian adjacencies: complex features in planes [2, n, f], as in DSNN.

/// A Hermitian sparse matrix.
struct HermitianMatrix {
  ops::SparseMatrix pattern;
  at::Tensor values;  ///< [2, entries]

  at::Tensor operator()(const at::Tensor& x) const { return ops::spmm(values, x, pattern); }
};

/// D_s^-1/2 (A_s o exp(2 pi i q (A - A^T))) D_s^-1/2: the identity less the normalised magnetic
/// Laplacian [eq:magnetic]. A node without edges has a row of zeros. Those who ask for the same
/// share it for as long as one of them holds it.
DSNN_API std::shared_ptr<const HermitianMatrix> magnetic_adjacency(const Input& input,
                                                                   double charge,
                                                                   at::ScalarType dtype);

/// The same for the sign-magnetic Laplacian [eq:sign-magnetic]; with self-loops, of A + w I, where
/// w is the mean of all |A_uv|: 1 without weights, and scaling all weights changes nothing. Kept
/// with the input.
DSNN_API const HermitianMatrix& sign_magnetic_adjacency(const Input& input, bool self_loops,
                                                        at::ScalarType dtype);

/// x W for each plane.
at::Tensor plane_product(const at::Tensor& x, const at::Tensor& weight);

/// drop(X) W for the features of the input as complex numbers: imaginary parts are 0, or as the
/// real parts.
at::Tensor complex_feature_product(const Input& input, const at::Tensor& weight,
                                   const ops::DropoutOptions& dropout, bool copies_imag);
/// That choice.
Parameter imag_init_parameter();

/// x + (1 + i) b, and 0 where the real part is negative [eq:stalk-update].
at::Tensor complex_bias_relu(const at::Tensor& x, const at::Tensor& bias);

}  // namespace dsnn::nn
