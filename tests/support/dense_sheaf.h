#pragma once

#include "support/dense.h"
#include "support/random_sheaves.h"

namespace dsnn::testing {

/// A map of a sheaf as a matrix.
Dense map_matrix(MapView map);

/// delta from its definition, one edge after the other, over the upper triangle of the adjacency
/// matrix. The maps are those of the sheaf; orientation and phase are computed from the arcs.
Dense dense_coboundary(const Case& c, const Sheaf& sheaf);

/// S from the blocks of L on the diagonal, by the eigenvalues of the whole block-diagonal matrix.
Dense dense_inverse_root(const Dense& l, Eigen::Index d, bool is_augmented);

}  // namespace dsnn::testing
