#pragma once

#include "dsnn/export.h"
#include "dsnn/sheaf/block_sparse.h"
#include "dsnn/sheaf/sheaf.h"

#include <cstdint>
#include <span>
#include <vector>

namespace dsnn {

enum class Normalisation {
  kNone,       ///< L itself
  kExact,      ///< S = D^{-1/2}, the Moore-Penrose inverse if a block is singular (isolated nodes)
  kAugmented,  ///< S = (D + I)^{-1/2}
  kDegree      ///< S = (deg + 1)^{-1/2}, (d deg + 1)^{-1/2} for general maps [eq:degree-root]
};

/// The Laplacian L = delta* delta [eq:sheaf-laplacian], or S L S [eq:normalised-laplacian].
DSNN_API BlockSparseMatrix laplacian(const Sheaf& sheaf,
                                     Normalisation normalisation = Normalisation::kNone);

/// D = blockdiag(L_uu) [eq:diagonal-blocks], [n, d, d].
DSNN_API std::vector<Complex> diagonal_blocks(const Sheaf& sheaf);

/// S_u for each node [eq:inverse-root], [n, d, d]; identities for kNone.
DSNN_API std::vector<Complex> inverse_square_roots(const Sheaf& sheaf, Normalisation normalisation);

/// The same operator without the matrix: y_u = S_u sum_h F_h* (F_h z_u - T_h F_h' z_v), z = S x
/// [eq:apply]. The sheaf must outlive it; temporaries are rejected by the compiler.
class DSNN_API LaplacianOperator {
 public:
  explicit LaplacianOperator(const Sheaf& sheaf,
                             Normalisation normalisation = Normalisation::kNone);
  explicit LaplacianOperator(Sheaf&&, Normalisation = Normalisation::kNone) = delete;

  /// Rows of the operator, n d.
  std::int64_t size() const { return sheaf_->num_stalk_entries(); }

  /// Upper bound of the eigenvalues [eq:upper-bound]: 2 if normalised by D, else 2 max_u tr(S_u D_u
  /// S_u).
  double upper_bound() const { return upper_bound_; }

  /// x is [n, d, channels], and so is the result.
  std::vector<Complex> apply(std::span<const Complex> x, std::int64_t channels = 1) const;

 private:
  /// S x; x itself without normalisation.
  std::vector<Complex> scale(std::span<const Complex> x, std::int64_t channels) const;

  const Sheaf* sheaf_;
  std::vector<Complex> inverse_roots_;  // [n, d, d], or empty without normalisation
  double upper_bound_ = 0;
};

}  // namespace dsnn
