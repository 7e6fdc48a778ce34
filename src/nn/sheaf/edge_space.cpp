#include "nn/sheaf/edge_space.h"

#include "dsnn/engine/operators/arithmetic.h"
#include "dsnn/engine/operators/columns.h"
#include "dsnn/engine/operators/sparse.h"
#include "dsnn/sheaf/phase.h"

#include <fmt/format.h>

#include <cstddef>
#include <utility>
#include <vector>

namespace dsnn::nn {

using engine::SparseMatrix;
using engine::Value;

/// A matrix under construction, row by row.
class MapMatrix::Builder {
 public:
  Builder(std::int64_t num_cols, std::int64_t num_maps, bool is_complex)
      : num_cols_(num_cols), num_maps_(num_maps), is_complex_(is_complex) {}

  void add(const Entry& entry) {
    cols_.push_back(entry.col);
    maps_.push_back(static_cast<std::int32_t>(entry.map));
    real_.push_back(entry.real);
    imag_.push_back(entry.imag);
  }
  void end_row() { offsets_.push_back(std::ssize(cols_)); }

  MapMatrix make() {
    std::vector<std::int64_t> one_each;
    for (std::int64_t e = 0; e <= std::ssize(cols_); ++e) one_each.push_back(e);
    std::optional<SparseMatrix> imag;
    if (is_complex_) imag.emplace(one_each, maps_, std::move(imag_), num_maps_);
    SparseMatrix real(std::move(one_each), std::move(maps_), std::move(real_), num_maps_);
    return {SparseMatrix(std::move(offsets_), std::move(cols_), {}, num_cols_), std::move(real),
            std::move(imag)};
  }

 private:
  std::int64_t num_cols_, num_maps_;
  bool is_complex_;
  std::vector<std::int64_t> offsets_ = {0};
  std::vector<std::int32_t> cols_, maps_;
  std::vector<double> real_, imag_;
};

MapMatrix::MapMatrix(SparseMatrix pattern, SparseMatrix real, std::optional<SparseMatrix> imag)
    : pattern_(std::move(pattern)), real_(std::move(real)), imag_(std::move(imag)) {}

Value MapMatrix::values(Value maps, Value factors) const {
  engine::Program& program = maps.program();
  const Value flat = program.reshape(maps, {engine::num_numbers(maps.shape()), 1});
  const auto part = [&](const SparseMatrix& selection) {
    const Value chosen = spmm(flat, selection);
    return factors.is_there() ? factors * chosen : chosen;
  };
  const Value real = part(real_);
  if (!imag_) return program.reshape(real, {num_entries()});
  const Value imag = part(*imag_);
  return program.reshape(engine::halves(engine::concat({real, imag})), {2, num_entries()});
}

Value MapMatrix::times(Value values, Value x) const {
  engine::Program& program = x.program();
  const std::int64_t planes = x.size(0), d = x.size(2), f = x.size(3);
  const Value y = spmm(values, program.reshape(x, {planes, x.size(1) * d, f}), pattern_);
  return program.reshape(y, {planes, pattern_.num_rows() / d, d, f});
}

namespace {

/// Adds the row i of F_h, or the column i, to a matrix under construction: `col` is the first of
/// the stalk that it is multiplied by.
class Rows {
 public:
  Rows(const EdgeSpace& space, const DirectedGraph& graph) : space_(space), graph_(graph) {}

  std::int64_t maps_per_half_edge() const {
    return space_.is_diagonal ? space_.dim : space_.dim * space_.dim;
  }
  void add(MapMatrix::Builder& builder, HalfEdgeId h, std::int64_t i, bool is_column,
           std::int64_t stalk, Complex factor) const {
    const std::int64_t d = space_.dim, first = h * maps_per_half_edge();
    const auto entry = [&](std::int64_t j, std::int64_t map) {
      builder.add(
          {static_cast<std::int32_t>(stalk * d + j), first + map, factor.real(), factor.imag()});
    };
    if (space_.is_diagonal) return entry(i, i);
    for (std::int64_t j = 0; j < d; ++j) entry(j, is_column ? j * d + i : i * d + j);
  }
  /// T_h
  Complex phase(HalfEdgeId h) const {
    return space_.charge ? unit_phase(*space_.charge * graph_.orientation(h)) : Complex(1);
  }

 private:
  EdgeSpace space_;
  const DirectedGraph& graph_;
};

Coboundary make_coboundary(const DirectedGraph& graph, const EdgeSpace& space) {
  const Rows rows(space, graph);
  const std::int64_t d = space.dim;
  const std::int64_t num_maps = graph.num_half_edges() * rows.maps_per_half_edge();
  const bool is_complex = space.charge.has_value();
  const auto is_first = [&](NodeId u, HalfEdgeId h) {
    const int s = is_complex ? graph.orientation(h) : 0;
    return s == 0 ? u < graph.neighbour(h) : s > 0;
  };
  // Edges are numbered by the half-edges that they are seen from. The smaller endpoint comes first
  // in a row, so that arcs that are reversed change no order of a sum.
  std::vector<std::int64_t> edge_of(static_cast<std::size_t>(graph.num_half_edges()));
  MapMatrix::Builder apply(graph.num_nodes() * d, num_maps, is_complex);
  std::int64_t num_edges = 0;
  for (NodeId u = 0; u < graph.num_nodes(); ++u) {
    for (HalfEdgeId h = graph.row_begin(u); h < graph.row_end(u); ++h) {
      const NodeId v = graph.neighbour(h);
      if (v < u) continue;
      const HalfEdgeId back = graph.reverse(h);
      edge_of[static_cast<std::size_t>(h)] = edge_of[static_cast<std::size_t>(back)] = num_edges++;
      const bool is_seen_from_u = is_first(u, h);
      for (std::int64_t i = 0; i < d; ++i) {
        rows.add(apply, h, i, false, u, is_seen_from_u ? Complex(1) : -rows.phase(back));
        rows.add(apply, back, i, false, v, is_seen_from_u ? -rows.phase(h) : Complex(1));
        apply.end_row();
      }
    }
  }
  MapMatrix::Builder adjoint(num_edges * d, num_maps, is_complex);
  for (NodeId u = 0; u < graph.num_nodes(); ++u) {
    for (std::int64_t i = 0; i < d; ++i) {
      for (HalfEdgeId h = graph.row_begin(u); h < graph.row_end(u); ++h) {
        // The conjugate of -T_h' is -T_h.
        rows.add(adjoint, h, i, true, edge_of[static_cast<std::size_t>(h)],
                 is_first(u, h) ? Complex(1) : -rows.phase(h));
      }
      adjoint.end_row();
    }
  }
  return {apply.make(), adjoint.make()};
}

Transport make_transport(const DirectedGraph& graph, const EdgeSpace& space) {
  const Rows rows(space, graph);
  const std::int64_t d = space.dim, n = graph.num_nodes(), count = graph.num_half_edges();
  const std::int64_t num_maps = count * rows.maps_per_half_edge();
  MapMatrix::Builder send(n * d, num_maps, space.charge.has_value());
  MapMatrix::Builder receive(count * d, num_maps, false);  // F_h* has no phase
  // Among the entries of the attention of u, itself comes first.
  std::vector<std::int32_t> scores, own_scores;
  for (NodeId u = 0; u < n; ++u) {
    for (HalfEdgeId h = graph.row_begin(u); h < graph.row_end(u); ++h) {
      for (std::int64_t i = 0; i < d; ++i) {
        rows.add(send, graph.reverse(h), i, false, graph.neighbour(h), rows.phase(h));
        send.end_row();
      }
    }
    for (std::int64_t i = 0; i < d; ++i) {
      for (HalfEdgeId h = graph.row_begin(u); h < graph.row_end(u); ++h) {
        rows.add(receive, h, i, true, h, 1);
        const std::int64_t entries = space.is_diagonal ? 1 : d;
        scores.insert(scores.end(), static_cast<std::size_t>(entries),
                      static_cast<std::int32_t>(h + u + 1));
      }
      receive.end_row();
      own_scores.push_back(static_cast<std::int32_t>(graph.row_begin(u) + u));
    }
  }
  const auto one_each = [&](std::vector<std::int32_t> cols) {
    std::vector<std::int64_t> offsets;
    for (std::int64_t e = 0; e <= std::ssize(cols); ++e) offsets.push_back(e);
    return SparseMatrix(std::move(offsets), std::move(cols), {}, n + count);
  };
  return {send.make(), receive.make(), one_each(std::move(scores)),
          one_each(std::move(own_scores))};
}

std::string name_of(const char* what, const EdgeSpace& space) {
  return fmt::format("{} {} {} {}", what, space.dim, space.is_diagonal,
                     space.charge ? fmt::format("{}", *space.charge) : "no phase");
}

}  // namespace

std::shared_ptr<const Coboundary> coboundary(const Input& input, const EdgeSpace& space) {
  return input.shared_memo<Coboundary>(name_of("coboundary", space), [&] {
    return make_coboundary(input.graph().directed(), space);
  });
}

std::shared_ptr<const Transport> transport(const Input& input, const EdgeSpace& space) {
  return input.shared_memo<Transport>(
      name_of("transport", space), [&] { return make_transport(input.graph().directed(), space); });
}

}  // namespace dsnn::nn
