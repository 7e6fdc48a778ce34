#pragma once

#include "dsnn/graph/directed_graph.h"
#include "dsnn/sheaf/sheaf.h"

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace dsnn::bench {

/// A layer of a directed sheaf network as in published code, for comparison with the engine's
/// operators: features of both endpoints gathered and concatenated for every half-edge, a linear
/// learner, the blocks of the normalised Laplacian by batched products, two sparse matrices (real
/// and imaginary part) in coordinates, and a sparse product. Every step is a tensor operation with
/// its gradient from LibTorch, except SparseProduct's. Index tensors are computed once per graph.
class ClassicalSheaf {
 public:
  /// Throws Error for a graph with weights or a dimension below 1.
  ClassicalSheaf(const DirectedGraph& graph, MapFamily family, std::int64_t stalk_dim,
                 double charge);

  /// x: [2, n, d, f], real and imaginary part; weight: [k, 2 * 2df], the learner's W acting on
  /// [c_u || c_v], where c_u is a node's real numbers and then its imaginary ones. k is d
  /// (diagonal), d (d-1) / 2 (orthogonal) or d^2 (general). Returns S L S x with the augmented S
  /// [eq:inverse-root], [2, n, d, f].
  at::Tensor operator()(const at::Tensor& x, const at::Tensor& weight) const;

  /// Rows of W.
  std::int64_t num_params() const;

 private:
  at::Tensor learned_params(const at::Tensor& x, const at::Tensor& weight) const;
  at::Tensor orthogonal_maps(const at::Tensor& params) const;

  /// Values of the normalised Laplacian: blocks L_uv of one half-edge for each edge, and L_uu.
  struct Blocks {
    at::Tensor off_diagonal;  // without the phase; [m, d], else [m, d, d]
    at::Tensor diagonal;      // [n, d], else [n, d, d]
  };
  Blocks diagonal_blocks(const at::Tensor& maps) const;
  Blocks orthogonal_blocks(const at::Tensor& maps) const;
  Blocks general_blocks(const at::Tensor& maps) const;

  std::int64_t num_nodes_;
  std::int64_t stalk_dim_;
  MapFamily family_;

  at::Tensor owner_;         // [2m]
  at::Tensor neighbour_;     // [2m]
  at::Tensor degree_;        // [n]
  at::Tensor half_edge_;     // [m], one half-edge h = (u,v) for each edge
  at::Tensor reverse_;       // [m], its reverse h'
  at::Tensor source_;        // [m], u
  at::Tensor target_;        // [m], v
  at::Tensor phase_real_;    // [m, 1], else [m, 1, 1]
  at::Tensor phase_imag_;    // likewise
  at::Tensor real_indices_;  // [2, nnz]: the blocks L_uv, their mirror images L_vu, then L_uu
  at::Tensor imag_indices_;  // the same without L_uu
  at::Tensor lower_;         // positions of the strict lower triangle in a d x d matrix, by rows
};

}  // namespace dsnn::bench
