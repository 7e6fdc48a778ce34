#pragma once

#include "dsnn/engine/program.h"
#include "dsnn/engine/sparse_matrix.h"
#include "dsnn/nn/input.h"

#include <cstdint>
#include <memory>
#include <optional>

namespace dsnn::nn {

/// A sparse matrix whose entries are entries of restriction maps, times 1, -1 or a phase. With it,
/// features of nodes become features of edges and back.
class MapMatrix {
 public:
  /// An entry of the matrix: coefficient times entry `map` of all maps.
  struct Entry {
    std::int32_t col;
    std::int64_t map;
    double real, imag;
  };
  class Builder;

  /// Its entries, [entries], or with a phase [2, entries]: real and imaginary parts. maps: F or G,
  /// with any shape. `factors` [entries, 1], if there are any, multiply them.
  engine::Value values(engine::Value maps, engine::Value factors = {}) const;
  /// The product for these values. x: [planes, n, d, f]; the result has the stalks of the rows,
  /// [planes, rows / d, d, f].
  engine::Value times(engine::Value values, engine::Value x) const;

  std::int64_t num_entries() const { return pattern_.num_entries(); }

 private:
  MapMatrix(engine::SparseMatrix pattern, engine::SparseMatrix real,
            std::optional<engine::SparseMatrix> imag);

  engine::SparseMatrix pattern_;
  engine::SparseMatrix real_;                 // [entries, maps]
  std::optional<engine::SparseMatrix> imag_;  // the same, with a phase
};

/// Stalks and maps of a graph. `charge`: with a phase.
struct EdgeSpace {
  std::int64_t dim;
  bool is_diagonal;
  std::optional<double> charge;
};

/// The coboundary [eq:coboundary] and its adjoint: (delta x)_e = F_h x_u - T_h F_h' x_v, where h is
/// the half-edge of the tail, or of the smaller endpoint if there is no direction or no phase.
struct Coboundary {
  MapMatrix apply, adjoint;
};
std::shared_ptr<const Coboundary> coboundary(const Input& input, const EdgeSpace& space);

/// What neighbours send: T_h F_h' x_v on half-edges h = (u,v), then the sum over h of F_h* of it.
struct Transport {
  MapMatrix send, receive;
  /// The attention, an entry for each node and each of its half-edges, [n + 2m]: of entries of
  /// `receive`,
  engine::SparseMatrix of_half_edge;
  engine::SparseMatrix of_node;  ///< and of a node itself, for each of its stalk dimensions
};
std::shared_ptr<const Transport> transport(const Input& input, const EdgeSpace& space);

}  // namespace dsnn::nn
