#pragma once

#include "dsnn/export.h"
#include "dsnn/sheaf/laplacian.h"

#include <cstdint>
#include <vector>

namespace dsnn {

enum class SpectrumEnd { kSmallest, kLargest };

struct EigenOptions {
  SpectrumEnd end = SpectrumEnd::kSmallest;
  int count = 6;  ///< fewer are returned if the operator is smaller
  /// A pair has converged if ||L x - l x|| is below this times the operator's upper bound.
  double tolerance = 1e-10;
  int max_restarts = 2000;         ///< of one Lanczos process
  std::int64_t dense_limit = 400;  ///< operators up to this size are solved as dense matrices
  /// Searches for all copies of multiple eigenvalues. Without it, only one Lanczos process is run,
  /// and the multiplicity of an eigenvalue may be too low.
  bool find_multiples = true;
  /// Without it, pairs that did not converge are also returned; see their residuals.
  bool require_convergence = true;
};

struct Eigenpairs {
  std::vector<double> values;     ///< from the chosen end inwards, with multiplicity
  std::vector<Complex> vectors;   ///< [values, n d], orthonormal rows
  std::vector<double> residuals;  ///< ||L x - l x|| for the unit vector x
  bool is_dense = false;          ///< solved as a dense matrix
  std::int64_t num_products = 0;  ///< vectors multiplied with the operator
};

/// Eigenvalues and eigenvectors at one end of the spectrum of a Laplacian, using only products with
/// it.
///
/// Thick-restart Lanczos (Wu and Simon, 2000) in complex arithmetic with full orthogonalisation. A
/// Lanczos process finds one vector of each eigenspace. It is therefore restarted orthogonally to
/// the vectors found until no better value is left: a kernel of any dimension is found completely.
/// Deterministic.
///
/// Throws Error if the pairs do not converge.
DSNN_API Eigenpairs extremal_eigenpairs(const LaplacianOperator& laplacian,
                                        const EigenOptions& options = {});

}  // namespace dsnn
