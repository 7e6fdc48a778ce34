#pragma once

#include "dsnn/export.h"
#include "dsnn/graph/directed_graph.h"
#include "dsnn/sheaf/phase.h"

#include <cstdint>
#include <span>
#include <vector>

namespace dsnn {

/// The family of restriction maps [eq:map-families].
enum class MapFamily {
  kDiagonal,    ///< diagonal
  kOrthogonal,  ///< orthogonal, or unitary over the complex numbers
  kGeneral      ///< any d x d matrix
};

/// The source of complex numbers [eq:map-fields].
enum class MapField {
  kReal,    ///< real maps, no phase: NSD
  kPhase,   ///< real maps, and the phase T_h carries the direction: DSNN
  kComplex  ///< complex maps, no phase: NSD-Compl
};

/// Fixed stalk dimensions after the learned ones [eq:fixed-dims]; both include the phase.
struct FixedDims {
  bool low_pass = false;   ///< maps 1 and -1: the off-diagonal entry of the Laplacian is +T_h
  bool high_pass = false;  ///< maps 1 and 1: the off-diagonal entry is -T_h
  int count() const { return static_cast<int>(low_pass) + static_cast<int>(high_pass); }
};

struct SheafOptions {
  MapFamily family = MapFamily::kDiagonal;
  MapField field = MapField::kPhase;
  int stalk_dim = 1;  ///< of the given maps, without the fixed dimensions
  double charge = 0;  ///< q; 0 unless field is kPhase
  FixedDims fixed = {};
};

/// A read-only view of a restriction map F_h, d x d. A diagonal map stores only its diagonal.
class MapView {
 public:
  MapView(const Complex* values, int dim, bool is_diagonal)
      : values_(values), dim_(dim), is_diagonal_(is_diagonal) {}
  int dim() const { return dim_; }
  /// The range in which row i (and column i) may have entries: all, or only the diagonal.
  int row_begin(int i) const { return is_diagonal_ ? i : 0; }
  int row_end(int i) const { return is_diagonal_ ? i + 1 : dim_; }
  Complex operator()(int i, int j) const {
    if (!is_diagonal_) return values_[i * dim_ + j];
    return i == j ? values_[i] : Complex(0);
  }

 private:
  const Complex* values_;
  int dim_;
  bool is_diagonal_;
};

/// A directed cellular sheaf [eq:sheaf]: stalks C^d on nodes and edges, a restriction map F_h and a
/// phase T_h for each half-edge. Edge weights are part of both: F_h contains sqrt|w_e|, T_h
/// contains sgn(w_e) [eq:edge-weight]. Plain double-precision data: the reference implementation
/// for tests of fast code.
///
/// The graph must outlive the sheaf; temporaries are rejected by the compiler.
class DSNN_API Sheaf {
 public:
  /// A sheaf with the given maps, in half-edge order: [2m, d] for the diagonal family, else [2m, d,
  /// d] row-major, without edge weights, which are applied here. Throws Error if the length is
  /// wrong, the charge is not finite or not 0 without a phase, a map of a real field has an
  /// imaginary part, or a map of the orthogonal family is not orthogonal (unitary) to 1e-8.
  ///
  /// `edge_weights`, if given, are additional weights of the sheaf, as learned with the orthogonal
  /// family: positive, one per half-edge [2m] and the same for h and h'; F_h <- r_e F_h
  /// [eq:map-families].
  static Sheaf from_maps(const DirectedGraph& graph, const SheafOptions& options,
                         std::span<const Complex> maps, std::span<const double> edge_weights = {});

  /// d = 1, F_h = sqrt|w_e|, T_h = sgn(w_e) exp(2 pi i q s_h) [eq:trivial-sheaf].
  static Sheaf trivial(const DirectedGraph& graph, double charge, FixedDims fixed = {});

  /// The sheaf of the magnetic Laplacian [eq:magnetic]: F_h = sqrt|A_s,uv|,
  /// T_h = sgn(A_s,uv) exp(2 pi i q (A_uv - A_vu)), with A_s = (A + A^T) / 2.
  static Sheaf magnetic(const DirectedGraph& graph, double charge, FixedDims fixed = {});

  /// The sheaf of the sign-magnetic Laplacian [eq:sign-magnetic]: F_h = sqrt|A_s,uv|, T_h =
  /// sgn(A_s,uv) times 1 where A_uv = A_vu, else i sgn(|A_uv| - |A_vu|).
  static Sheaf sign_magnetic(const DirectedGraph& graph, FixedDims fixed = {});

  static Sheaf from_maps(DirectedGraph&&, const SheafOptions&, std::span<const Complex>,
                         std::span<const double> = {}) = delete;
  static Sheaf trivial(DirectedGraph&&, double, FixedDims = {}) = delete;
  static Sheaf magnetic(DirectedGraph&&, double, FixedDims = {}) = delete;
  static Sheaf sign_magnetic(DirectedGraph&&, FixedDims = {}) = delete;

  const DirectedGraph& graph() const { return *graph_; }
  /// d, fixed dimensions included.
  int stalk_dim() const { return stalk_dim_; }
  bool is_diagonal() const { return family_ == MapFamily::kDiagonal; }
  MapFamily family() const { return family_; }
  /// The stalk dimension of the given maps, without fixed dimensions.
  int given_dim() const { return given_dim_; }
  /// Length of a 0-cochain, n d.
  std::int64_t num_stalk_entries() const {
    return static_cast<std::int64_t>(graph_->num_nodes()) * stalk_dim_;
  }
  MapView map(HalfEdgeId h) const {
    return {maps_.data() + h * map_size(), stalk_dim_, is_diagonal()};
  }
  Complex phase(HalfEdgeId h) const { return phases_[static_cast<std::size_t>(h)]; }

 private:
  /// Scale and phase of one half-edge, before they are applied to its map.
  struct Coupling {
    double weight;  // F_h is scaled by sqrt|weight|, T_h by sgn(weight)
    Complex phase;
  };
  template <class CouplingOf>
  Sheaf(const DirectedGraph& graph, int given_dim, MapFamily family, FixedDims fixed,
        std::span<const Complex> maps, CouplingOf coupling_of);

  std::int64_t map_size() const {
    return is_diagonal() ? stalk_dim_ : static_cast<std::int64_t>(stalk_dim_) * stalk_dim_;
  }

  const DirectedGraph* graph_;
  int given_dim_;
  int stalk_dim_;
  MapFamily family_;
  std::vector<Complex> maps_;    // [2m, map_size]
  std::vector<Complex> phases_;  // [2m]
};

/// A sheaf with random maps: entries uniform in [-1, 1] (and i times that), or, for the orthogonal
/// family, the orthogonal factor of such a matrix. The same seed gives the same sheaf.
DSNN_API Sheaf random_sheaf(const DirectedGraph& graph, const SheafOptions& options,
                            std::uint64_t seed);
Sheaf random_sheaf(DirectedGraph&&, const SheafOptions&, std::uint64_t) = delete;

}  // namespace dsnn
