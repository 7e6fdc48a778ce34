#pragma once

#include "kernels/half_edges.h"
#include "kernels/inverse_root.h"
#include "kernels/scaled_maps.h"

#include <cmath>
#include <cstdint>

// What scaled maps of every family need: the factors of a map, sizes, and what does not depend on
// the maps.
namespace dsnn::kernels {

/// The factor of F_h: the graph's scale times the learned weight.
template <class T>
struct Scales {
  const SheafMaps<T>& sheaf;
  double graph(HalfEdgeId h) const {
    return sheaf.graph_scales == nullptr ? 1 : sheaf.graph_scales[h];
  }
  double weight(HalfEdgeId h) const {
    return sheaf.weights == nullptr ? 1 : static_cast<double>(sheaf.weights[h]);
  }
  double both(HalfEdgeId h) const { return graph(h) * weight(h); }
  /// The node's degree, or sum of |w_e| with weights.
  double degree(std::int64_t u) const {
    const HalfEdgeId begin = sheaf.graph.row_offsets[u];
    const HalfEdgeId end = sheaf.graph.row_offsets[u + 1];
    if (sheaf.graph_scales == nullptr) return static_cast<double>(end - begin);
    double sum = 0;
    for (HalfEdgeId h = begin; h < end; ++h) sum += graph(h) * graph(h);
    return sum;
  }
};

/// Sizes of a sheaf's arrays.
struct Layout {
  std::int64_t full_dim;  // fixed dimensions included
  std::int64_t size;      // of a given map
  std::int64_t full;      // of a scaled map, and of a node's block
  std::int64_t stride;    // from one diagonal entry of those to the next
  std::int64_t planes;
  std::int64_t map_plane, scaled_plane, node_plane;  // from a real part to the imaginary one
  template <class T>
  explicit Layout(const SheafMaps<T>& sheaf)
      : full_dim(sheaf.full_dim()),
        size(sheaf.map_size()),
        full(sheaf.full_map_size()),
        stride(sheaf.is_diagonal() ? 1 : full_dim + 1),
        planes(sheaf.is_complex ? 2 : 1),
        map_plane(sheaf.graph.count() * size),
        scaled_plane(sheaf.graph.count() * full),
        node_plane(sheaf.graph.num_nodes * full) {}
};

/// S_u if it does not depend on the maps: 1, or [eq:degree-root].
template <class T>
double fixed_root(const SheafMaps<T>& sheaf, double degree) {
  if (sheaf.normalisation == Normalisation::kNone) return 1;
  const double factor = sheaf.family == MapFamily::kGeneral ? static_cast<double>(sheaf.dim) : 1.0;
  return 1 / std::sqrt(factor * degree + 1);
}

/// [eq:fixed-dims] The low-pass dimension has maps 1 and -1, the high-pass one 1 and 1, D = degree.
/// Writes the diagonal entries from d on; stride: from one diagonal entry to the next.
template <class T>
void add_fixed_dims(const SheafMaps<T>& sheaf, std::int64_t u, double degree, std::int64_t stride,
                    T* scaled, T* diagonal) {
  if (sheaf.fixed.count() == 0) return;
  const Scales<T> scales{sheaf};
  const InverseRoot root(sheaf.normalisation);
  const double s = sheaf.is_learned() ? root.s(degree) : fixed_root(sheaf, degree);
  const double share = sheaf.is_learned() ? root.share(degree) : s * s * degree;
  const std::int64_t size = sheaf.full_map_size();
  for (int k = 0; k < sheaf.fixed.count(); ++k) {
    diagonal[u * size + (sheaf.dim + k) * stride] = static_cast<T>(share);
  }
  for (HalfEdgeId h = sheaf.graph.row_offsets[u]; h < sheaf.graph.row_offsets[u + 1]; ++h) {
    T* to = scaled + h * size + sheaf.dim * stride;
    const double value = scales.graph(h) * s;
    if (sheaf.fixed.low_pass) {
      *to = static_cast<T>(u < sheaf.graph.neighbours[h] ? value : -value);
      to += stride;
    }
    if (sheaf.fixed.high_pass) *to = static_cast<T>(value);
  }
}

}  // namespace dsnn::kernels
