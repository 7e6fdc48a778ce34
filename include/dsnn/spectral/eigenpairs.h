#pragma once

#include "dsnn/export.h"
#include "dsnn/sheaf/laplacian.h"

#include <cstdint>
#include <vector>

namespace dsnn {

enum class SpectrumEnd { kSmallest, kLargest };

struct EigenOptions {
  SpectrumEnd end = SpectrumEnd::kSmallest;
  int count = 6;  ///< fewer come back if the operator is smaller
  /// A pair has converged when ||L x - l x|| is below this times the operator's upper bound.
  double tolerance = 1e-10;
  int max_restarts = 2000;         ///< of one Lanczos process
  std::int64_t dense_limit = 400;  ///< operators up to this size are solved as dense matrices
  /// Look for further copies of multiple eigenvalues until none is left out. Without it, one
  /// Lanczos process is all, and a multiple eigenvalue may be listed too seldom.
  bool find_multiples = true;
  /// Without it, pairs that did not converge come back as they are; their residuals tell.
  bool require_convergence = true;
};

struct Eigenpairs {
  std::vector<double> values;     ///< from the chosen end inwards, as often as their multiplicity
  std::vector<Complex> vectors;   ///< [values, n d], orthonormal rows
  std::vector<double> residuals;  ///< ||L x - l x|| for the unit vector x
  bool is_dense = false;          ///< solved as a dense matrix
  std::int64_t num_products = 0;  ///< vectors multiplied with the operator
};

/// Eigenvalues and eigenvectors at one end of the spectrum of a Laplacian, from products with it
/// alone.
///
/// Thick-restart Lanczos (Wu and Simon, 2000) in complex arithmetic with full orthogonalisation. A
/// Lanczos process sees one vector of each eigenspace, so it starts again beside the vectors found
/// until nothing better than the last wanted value is left: a kernel of any dimension is found
/// whole. Deterministic.
///
/// Throws Error if the pairs do not converge.
DSNN_API Eigenpairs extremal_eigenpairs(const LaplacianOperator& laplacian,
                                        const EigenOptions& options = {});

}  // namespace dsnn
