#include "dsnn/sheaf/laplacian.h"

#include "dsnn/util/error.h"
#include "dsnn/util/progress.h"

#include "sheaf/stalk.h"
#include "util/eigen_solver.h"
#include "util/index.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace dsnn {
namespace {

constexpr NodeId kReportEvery = 1 << 14;

/// [eq:inverse-root] Replaces D [d, d] by S = f(D), with the eigenvalues l of D mapped to l^{-1/2},
/// (l + 1)^{-1/2}, or 0 for the Moore-Penrose inverse if l is 0 up to rounding.
void take_inverse_root(std::span<Complex> block, std::int64_t d, Normalisation normalisation) {
  const auto is_finite = [](Complex z) {
    return std::isfinite(z.real()) && std::isfinite(z.imag());
  };
  if (!std::ranges::all_of(block, is_finite)) {
    throw Error("Laplacian: a diagonal block is not finite; weights or maps are too large");
  }
  const auto [l, vectors] = solve_hermitian(block);
  const double largest = std::max(std::abs(l.front()), std::abs(l.back()));  // ascending
  const double zero = std::numeric_limits<double>::epsilon() * static_cast<double>(d) *
                      std::max(largest, std::numeric_limits<double>::min());
  std::ranges::fill(block, Complex(0));
  for (std::int64_t k = 0; k < d; ++k) {
    double f = l[at(k)] > zero ? 1 / std::sqrt(l[at(k)]) : 0;
    if (normalisation == Normalisation::kAugmented) f = 1 / std::sqrt(std::max(l[at(k)], 0.0) + 1);
    const Complex* v = vectors.data() + k * d;
    for (std::int64_t i = 0; i < d; ++i) {
      for (std::int64_t j = 0; j < d; ++j) block[at(i * d + j)] += v[i] * f * std::conj(v[j]);
    }
  }
}

/// [eq:degree-root] (c deg + 1)^{-1/2}, where c = d bounds the norm of a general map with entries
/// in
/// [-1, 1].
double degree_root(const Sheaf& sheaf, NodeId u) {
  const DirectedGraph& graph = sheaf.graph();
  double degree = 0;
  for (HalfEdgeId h = graph.row_begin(u); h < graph.row_end(u); ++h) {
    degree += std::abs(graph.edge_weight(h));
  }
  const int c = sheaf.family() == MapFamily::kGeneral ? sheaf.given_dim() : 1;
  return 1 / std::sqrt(c * degree + 1);
}

/// Largest trace of a block of D, or of S D S with S a number for each node: it bounds the block's
/// eigenvalues.
double largest_trace(const Sheaf& sheaf, Normalisation normalisation) {
  const std::vector<Complex> blocks = diagonal_blocks(sheaf);
  const std::int64_t d = sheaf.stalk_dim();
  double largest = 0;
  for (NodeId u = 0; u < sheaf.graph().num_nodes(); ++u) {
    double trace = 0;
    for (std::int64_t i = 0; i < d; ++i) trace += blocks[at((u * d + i) * d + i)].real();
    if (normalisation == Normalisation::kDegree) trace *= std::pow(degree_root(sheaf, u), 2);
    largest = std::max(largest, trace);
  }
  return largest;
}

/// G_h = F_h S_u for every half-edge h of u, [2m, d, d]: S L S is the Laplacian of the sheaf with
/// these maps. Scaling the maps instead of L loses half as many digits where a block of D is nearly
/// singular, and the result is Hermitian to the last bit.
std::vector<Complex> scaled_maps(const Sheaf& sheaf, const std::vector<Complex>& inverse_roots) {
  const DirectedGraph& graph = sheaf.graph();
  const std::int64_t d = sheaf.stalk_dim();
  std::vector<Complex> scaled(at(graph.num_half_edges() * d * d), Complex(0));
  for (NodeId u = 0; u < graph.num_nodes(); ++u) {
    for (HalfEdgeId h = graph.row_begin(u); h < graph.row_end(u); ++h) {
      add_map_times(1, sheaf.map(h), inverse_roots.data() + u * d * d, d,
                    scaled.data() + h * d * d);
    }
  }
  return scaled;
}

}  // namespace

// [eq:diagonal-blocks] L_uu = sum_h F_h* F_h over the half-edges h of u
std::vector<Complex> diagonal_blocks(const Sheaf& sheaf) {
  const DirectedGraph& graph = sheaf.graph();
  const std::int64_t block_size = static_cast<std::int64_t>(sheaf.stalk_dim()) * sheaf.stalk_dim();
  std::vector<Complex> blocks(at(graph.num_nodes() * block_size), Complex(0));
  for (NodeId u = 0; u < graph.num_nodes(); ++u) {
    for (HalfEdgeId h = graph.row_begin(u); h < graph.row_end(u); ++h) {
      add_adjoint_product(1, sheaf.map(h), sheaf.map(h), blocks.data() + u * block_size);
    }
  }
  return blocks;
}

std::vector<Complex> inverse_square_roots(const Sheaf& sheaf, Normalisation normalisation) {
  const std::int64_t d = sheaf.stalk_dim();
  std::vector<Complex> blocks = diagonal_blocks(sheaf);
  const auto set_to_multiple_of_identity = [&](std::span<Complex> block, double scale) {
    std::ranges::fill(block, Complex(0));
    for (std::int64_t i = 0; i < d; ++i) block[at(i * d + i)] = scale;
  };
  for (NodeId u = 0; u < sheaf.graph().num_nodes(); ++u) {
    if (u % kReportEvery == 0) report_progress("normalising", u, sheaf.graph().num_nodes());
    const std::span<Complex> block(blocks.data() + u * d * d, at(d * d));
    switch (normalisation) {
      case Normalisation::kNone:
        set_to_multiple_of_identity(block, 1);
        break;
      case Normalisation::kDegree:
        set_to_multiple_of_identity(block, degree_root(sheaf, u));
        break;
      case Normalisation::kExact:
      case Normalisation::kAugmented:
        take_inverse_root(block, d, normalisation);
        break;
    }
  }
  return blocks;
}

// [eq:sheaf-laplacian] L_uu = sum_h F_h* F_h,  L_uv = -T_h F_h* F_h'
BlockSparseMatrix laplacian(const Sheaf& sheaf, Normalisation normalisation) {
  const DirectedGraph& graph = sheaf.graph();
  const int d = sheaf.stalk_dim();
  std::vector<Complex> scaled;
  if (normalisation != Normalisation::kNone) {
    scaled = scaled_maps(sheaf, inverse_square_roots(sheaf, normalisation));
  }
  const auto map = [&](HalfEdgeId h) {
    return scaled.empty() ? sheaf.map(h) : MapView(scaled.data() + h * d * d, d, false);
  };

  const std::int64_t num_blocks = graph.num_half_edges() + graph.num_nodes();
  BlockSparseMatrix matrix;
  matrix.block_dim = d;
  matrix.num_block_cols = graph.num_nodes();
  matrix.cols.resize(at(num_blocks));
  matrix.values.assign(at(num_blocks * d * d), Complex(0));
  std::int64_t next = 0;
  for (NodeId u = 0; u < graph.num_nodes(); ++u) {
    if (u % kReportEvery == 0) report_progress("assembling", u, graph.num_nodes());
    HalfEdgeId h = graph.row_begin(u);
    const auto add_neighbours_below = [&](NodeId bound) {
      for (; h < graph.row_end(u) && graph.neighbour(h) < bound; ++h, ++next) {
        matrix.cols[at(next)] = graph.neighbour(h);
        add_adjoint_product(-sheaf.phase(h), map(h), map(graph.reverse(h)),
                            matrix.block(next).data());
      }
    };
    add_neighbours_below(u);
    const std::int64_t diagonal = next++;
    matrix.cols[at(diagonal)] = u;
    for (HalfEdgeId g = graph.row_begin(u); g < graph.row_end(u); ++g) {
      add_adjoint_product(1, map(g), map(g), matrix.block(diagonal).data());
    }
    add_neighbours_below(graph.num_nodes());
    matrix.row_offsets.push_back(next);
  }
  return matrix;
}

LaplacianOperator::LaplacianOperator(const Sheaf& sheaf, Normalisation normalisation)
    : sheaf_(&sheaf) {
  if (normalisation != Normalisation::kNone) {
    inverse_roots_ = inverse_square_roots(sheaf, normalisation);
  }
  const bool is_by_maps =
      normalisation == Normalisation::kExact || normalisation == Normalisation::kAugmented;
  upper_bound_ = is_by_maps ? 2 : 2 * largest_trace(sheaf, normalisation);
}

std::vector<Complex> LaplacianOperator::scale(std::span<const Complex> x,
                                              std::int64_t channels) const {
  std::vector<Complex> z(x.begin(), x.end());
  if (inverse_roots_.empty()) return z;
  const std::int64_t d = sheaf_->stalk_dim();
  const std::int64_t stalk = d * channels;
  std::fill(z.begin(), z.end(), Complex(0));
  for (NodeId u = 0; u < sheaf_->graph().num_nodes(); ++u) {
    const MapView root(inverse_roots_.data() + u * d * d, sheaf_->stalk_dim(), false);
    add_map_times(1, root, x.data() + u * stalk, channels, z.data() + u * stalk);
  }
  return z;
}

// [eq:apply] y_u = S_u sum_h F_h* (F_h z_u - T_h F_h' z_v) with z = S x
std::vector<Complex> LaplacianOperator::apply(std::span<const Complex> x,
                                              std::int64_t channels) const {
  const DirectedGraph& graph = sheaf_->graph();
  const std::int64_t stalk = sheaf_->stalk_dim() * channels;
  if (x.size() != at(graph.num_nodes() * stalk)) {
    throw Error(fmt::format(
        "laplacian: x has {} elements, expected {} ({} nodes, stalks of {}, {} channels)", x.size(),
        graph.num_nodes() * stalk, graph.num_nodes(), sheaf_->stalk_dim(), channels));
  }
  const std::vector<Complex> z = scale(x, channels);
  std::vector<Complex> y(x.size(), Complex(0));
  std::vector<Complex> r(at(stalk));
  for (NodeId u = 0; u < graph.num_nodes(); ++u) {
    for (HalfEdgeId h = graph.row_begin(u); h < graph.row_end(u); ++h) {
      const NodeId v = graph.neighbour(h);
      // r = F_h z_u - T_h F_h' z_v
      std::fill(r.begin(), r.end(), Complex(0));
      add_map_times(1, sheaf_->map(h), z.data() + u * stalk, channels, r.data());
      add_map_times(-sheaf_->phase(h), sheaf_->map(graph.reverse(h)), z.data() + v * stalk,
                    channels, r.data());
      // y_u += F_h* r
      add_adjoint_times(1, sheaf_->map(h), r.data(), channels, y.data() + u * stalk);
    }
  }
  return inverse_roots_.empty() ? y : scale(y, channels);
}

}  // namespace dsnn
