#pragma once

#include "dsnn/engine/sparse_matrix.h"
#include "dsnn/export.h"
#include "dsnn/nn/model.h"

#include <vector>

namespace dsnn::nn {

/// Which nodes v have an entry in the row of node u.
enum class Neighbours {
  kAll,  ///< v - u: the symmetrised graph
  kOut,  ///< u -> v
  kIn    ///< v -> u
};

/// With the sums of rows and columns as diagonal matrices R and C.
enum class Scaling {
  kNone,      ///< A; also with neighbours whose weights cancel: who is joined to whom
  kRows,      ///< R^-1 A: the mean over neighbours
  kSymmetric  ///< R^-1/2 A C^-1/2
};

/// A matrix of neighbours [eq:adjacency].
struct AdjacencyOptions {
  Neighbours neighbours = Neighbours::kAll;
  bool self_loops = false;  ///< A + I, before it is scaled
  Scaling scaling = Scaling::kSymmetric;
};

/// Entries are absolute weights of arcs (1 without weights); in the symmetrised graph, of edges
/// [eq:edge-weight]. Made once for a graph and kept with the input.
DSNN_API const engine::SparseMatrix& adjacency(const Input& input, const AdjacencyOptions& options);

/// The values of a matrix, one for each entry.
DSNN_API std::vector<double> entry_values(const engine::SparseMatrix& matrix);

/// The adjacency of a model with the parameter `directed`: of the symmetrised graph, or of arcs
/// u <- v.
inline Neighbours seen_neighbours(bool directed) {
  return directed ? Neighbours::kIn : Neighbours::kAll;
}
/// That parameter.
DSNN_API Parameter directed_parameter();

/// Pairs of nodes that are `hops` edges apart, no fewer, in the symmetrised graph; scaled. Throws
/// Error where there are so many that memory would not hold them.
DSNN_API const engine::SparseMatrix& k_hop_adjacency(const Input& input, int hops, Scaling scaling);

}  // namespace dsnn::nn
