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

/// Scaling by the sums of rows R and columns C, as diagonal matrices.
enum class Scaling {
  kNone,      ///< A; includes neighbours whose weights cancel
  kRows,      ///< R^-1 A: the mean over neighbours
  kSymmetric  ///< R^-1/2 A C^-1/2
};

/// An adjacency matrix [eq:adjacency].
struct AdjacencyOptions {
  Neighbours neighbours = Neighbours::kAll;
  bool self_loops = false;  ///< A + I, before scaling
  Scaling scaling = Scaling::kSymmetric;
};

/// Entries are absolute weights of arcs (1 without weights); in the symmetrised graph, of edges
/// [eq:edge-weight]. Computed once per graph and cached in the input.
DSNN_API const engine::SparseMatrix& adjacency(const Input& input, const AdjacencyOptions& options);

/// The values of a matrix, one per entry.
DSNN_API std::vector<double> entry_values(const engine::SparseMatrix& matrix);

/// The adjacency of a model with the parameter `directed`: of the symmetrised graph, or of arcs
/// u <- v.
inline Neighbours seen_neighbours(bool directed) {
  return directed ? Neighbours::kIn : Neighbours::kAll;
}
/// The parameter `directed`.
DSNN_API Parameter directed_parameter();

/// Pairs of nodes exactly `hops` edges apart in the symmetrised graph; scaled. Throws Error if
/// there are too many for the memory.
DSNN_API const engine::SparseMatrix& k_hop_adjacency(const Input& input, int hops, Scaling scaling);

}  // namespace dsnn::nn
