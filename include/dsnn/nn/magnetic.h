#pragma once

#include "dsnn/engine/operators/linear.h"
#include "dsnn/engine/operators/sparse.h"
#include "dsnn/export.h"
#include "dsnn/nn/model.h"

#include <memory>

namespace dsnn::nn {

// Networks on Hermitian adjacencies: complex features in planes [2, n, f], as in DSNN.

/// A Hermitian sparse matrix.
struct DSNN_API HermitianMatrix {
  engine::SparseMatrix pattern;
  std::shared_ptr<const engine::Constant> values;  ///< [2, entries]

  engine::Value operator()(engine::Value x) const;
};

/// D_s^-1/2 (A_s o exp(2 pi i q (A - A^T))) D_s^-1/2: the identity minus the normalised magnetic
/// Laplacian [eq:magnetic]. A node without edges has a row of zeros. Callers share the matrix while
/// one of them holds it.
DSNN_API std::shared_ptr<const HermitianMatrix> magnetic_adjacency(const Input& input,
                                                                   double charge);

/// The same for the sign-magnetic Laplacian [eq:sign-magnetic]; with self-loops, of A + w I, where
/// w is the mean of all |A_uv|: 1 without weights, and invariant under scaling of all weights.
/// Cached in the input.
DSNN_API const HermitianMatrix& sign_magnetic_adjacency(const Input& input, bool self_loops);

/// x W for each plane.
DSNN_API engine::Value plane_product(engine::Value x, const engine::Weight& weight);

/// drop(X) W for the features of the input as complex values: imaginary parts are 0 or copies of
/// the real parts.
DSNN_API engine::Value complex_feature_product(const Input& input, const Pass& pass,
                                               const engine::Weight& weight,
                                               const engine::Dropout& dropout, bool copies_imag);
/// The parameter for this choice.
DSNN_API Parameter imag_init_parameter();

}  // namespace dsnn::nn
