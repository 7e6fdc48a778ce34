#include "dsnn/sheaf/sheaf.h"

#include "dsnn/util/error.h"

#include "util/index.h"

#include <fmt/format.h>

#include <cmath>

namespace dsnn {
namespace {

constexpr double kOrthogonalTolerance = 1e-8;

double sign(double x) { return static_cast<double>((x > 0) - (x < 0)); }

void check_charge(double charge) {
  if (!std::isfinite(charge)) {
    throw Error(fmt::format("sheaf: the charge q is {}, expected a finite number", charge));
  }
}

void check_options(const SheafOptions& options) {
  check_charge(options.charge);
  if (options.stalk_dim < 1) {
    throw Error(
        fmt::format("sheaf: the stalk dimension is {}, expected 1 or more", options.stalk_dim));
  }
  if (options.field != MapField::kPhase && options.charge != 0) {
    throw Error(fmt::format("sheaf: the charge q is {}, expected 0 for {} maps without phase",
                            options.charge, options.field == MapField::kReal ? "real" : "complex"));
  }
}

void check_real(std::span<const Complex> maps, std::int64_t map_size) {
  for (std::size_t i = 0; i < maps.size(); ++i) {
    if (maps[i].imag() != 0) {
      throw Error(
          fmt::format("sheaf: the map of half-edge {} has an imaginary part, expected a real map",
                      static_cast<std::int64_t>(i) / map_size));
    }
  }
}

void check_edge_weights(const DirectedGraph& graph, std::span<const double> weights) {
  if (weights.size() != at(graph.num_half_edges())) {
    throw Error(fmt::format("sheaf: {} edge weights, expected one for each of {} half-edges",
                            weights.size(), graph.num_half_edges()));
  }
  for (HalfEdgeId h = 0; h < graph.num_half_edges(); ++h) {
    if (!(weights[at(h)] > 0) || !std::isfinite(weights[at(h)])) {
      throw Error(
          fmt::format("sheaf: the edge weight of half-edge {} is {}, expected a positive number", h,
                      weights[at(h)]));
    }
    if (weights[at(h)] != weights[at(graph.reverse(h))]) {
      throw Error(
          fmt::format("sheaf: half-edge {} and its reverse have different edge weights", h));
    }
  }
}

/// F* F = I
void check_orthogonal(MapView map, HalfEdgeId h) {
  for (int i = 0; i < map.dim(); ++i) {
    for (int j = 0; j < map.dim(); ++j) {
      Complex product = 0;
      for (int k = 0; k < map.dim(); ++k) product += std::conj(map(k, i)) * map(k, j);
      if (!(std::abs(product - Complex(i == j ? 1 : 0)) <= kOrthogonalTolerance)) {
        throw Error(fmt::format("sheaf: the map of half-edge {} is not orthogonal", h));
      }
    }
  }
}

}  // namespace

// [eq:fixed-dims] The fixed dimensions follow the given ones; [eq:edge-weight] weights enter map
// and phase.
template <class CouplingOf>
Sheaf::Sheaf(const DirectedGraph& graph, int given_dim, MapFamily family, FixedDims fixed,
             std::span<const Complex> given, CouplingOf coupling_of)
    : graph_(&graph),
      given_dim_(given_dim),
      stalk_dim_(given_dim + fixed.count()),
      family_(family) {
  const bool is_diagonal = family == MapFamily::kDiagonal;
  maps_.assign(at(graph.num_half_edges() * map_size()), Complex(0));
  phases_.resize(at(graph.num_half_edges()));
  const int given_size = is_diagonal ? given_dim : given_dim * given_dim;
  const std::ptrdiff_t entry_stride = is_diagonal ? 1 : stalk_dim_ + 1;  // between diagonal entries
  for (NodeId u = 0; u < graph.num_nodes(); ++u) {
    for (HalfEdgeId h = graph.row_begin(u); h < graph.row_end(u); ++h) {
      const Coupling coupling = coupling_of(h);
      const double scale = std::sqrt(std::abs(coupling.weight));
      const MapView from(given.data() + h * given_size, given_dim, is_diagonal);
      Complex* to = maps_.data() + h * map_size();
      for (int i = 0; i < given_dim; ++i) {
        for (int j = 0; j < given_dim; ++j) {
          if (is_diagonal && i != j) continue;
          to[is_diagonal ? i : i * stalk_dim_ + j] = scale * from(i, j);
        }
      }
      int next = given_dim;
      const bool is_smaller_end = u < graph.neighbour(h);
      if (fixed.low_pass) to[next++ * entry_stride] = is_smaller_end ? scale : -scale;
      if (fixed.high_pass) to[next * entry_stride] = scale;
      phases_[at(h)] = coupling.weight < 0 ? -coupling.phase : coupling.phase;
    }
  }
}

Sheaf Sheaf::from_maps(const DirectedGraph& graph, const SheafOptions& options,
                       std::span<const Complex> maps, std::span<const double> edge_weights) {
  check_options(options);
  const int d = options.stalk_dim;
  const bool is_diagonal = options.family == MapFamily::kDiagonal;
  const std::int64_t given_size = is_diagonal ? d : static_cast<std::int64_t>(d) * d;
  if (maps.size() != at(graph.num_half_edges() * given_size)) {
    throw Error(fmt::format(
        "sheaf: the maps have {} elements, expected {} ({} half-edges of {} each)", maps.size(),
        graph.num_half_edges() * given_size, graph.num_half_edges(), given_size));
  }
  if (options.field != MapField::kComplex) check_real(maps, given_size);
  if (options.family == MapFamily::kOrthogonal) {
    for (HalfEdgeId h = 0; h < graph.num_half_edges(); ++h) {
      check_orthogonal({maps.data() + h * given_size, d, false}, h);
    }
  }
  const auto coupling_of = [&](HalfEdgeId h) {
    return Coupling{graph.edge_weight(h), unit_phase(options.charge * graph.orientation(h))};
  };
  if (edge_weights.empty())
    return Sheaf(graph, d, options.family, options.fixed, maps, coupling_of);
  check_edge_weights(graph, edge_weights);
  std::vector<Complex> scaled(maps.begin(), maps.end());
  for (std::size_t i = 0; i < scaled.size(); ++i) scaled[i] *= edge_weights[i / at(given_size)];
  return Sheaf(graph, d, options.family, options.fixed, scaled, coupling_of);
}

Sheaf Sheaf::trivial(const DirectedGraph& graph, double charge, FixedDims fixed) {
  const std::vector<Complex> ones(at(graph.num_half_edges()), Complex(1));
  SheafOptions options;
  options.charge = charge;
  options.fixed = fixed;
  return from_maps(graph, options, ones);
}

Sheaf Sheaf::magnetic(const DirectedGraph& graph, double charge, FixedDims fixed) {
  check_charge(charge);
  const std::vector<Complex> ones(at(graph.num_half_edges()), Complex(1));
  return Sheaf(graph, 1, MapFamily::kDiagonal, fixed, ones, [&](HalfEdgeId h) {
    const double there = graph.arc_weight(h);
    const double back = graph.arc_weight(graph.reverse(h));
    const double turns = charge * (there - back);
    if (!std::isfinite(turns)) {
      throw Error(
          fmt::format("sheaf: the phase of charge {} with weights {} and {} is out of range",
                      charge, there, back));
    }
    return Coupling{there / 2 + back / 2, unit_phase(turns)};
  });
}

Sheaf Sheaf::sign_magnetic(const DirectedGraph& graph, FixedDims fixed) {
  const std::vector<Complex> ones(at(graph.num_half_edges()), Complex(1));
  return Sheaf(graph, 1, MapFamily::kDiagonal, fixed, ones, [&](HalfEdgeId h) {
    const double there = graph.arc_weight(h);
    const double back = graph.arc_weight(graph.reverse(h));
    const Complex phase =
        there == back ? Complex(1) : Complex(0, sign(std::abs(there) - std::abs(back)));
    return Coupling{there / 2 + back / 2, phase};
  });
}

}  // namespace dsnn
