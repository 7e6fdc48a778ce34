#include "dsnn/verify/theorems.h"

#include "dsnn/sheaf/coboundary.h"
#include "dsnn/sheaf/laplacian.h"
#include "dsnn/sheaf/sheaf.h"
#include "dsnn/spectral/eigenpairs.h"
#include "dsnn/util/error.h"
#include "dsnn/util/progress.h"
#include "dsnn/util/random.h"

#include "verify/formulas.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace dsnn {
namespace {

constexpr double kEntryTolerance = 1e-12;    // entries of matrices, relative to the largest
constexpr double kSpectrumTolerance = 1e-9;  // eigenvalues, relative to the operator's bound

/// Keeps the largest deviation seen for each claim, in the order in which claims first appear.
class Record {
 public:
  void add(const char* label, const char* statement, double deviation, double tolerance) {
    for (Claim& claim : claims_) {
      if (claim.statement != statement) continue;
      // A NaN must not be overwritten by a later number.
      if (!(deviation <= claim.deviation) && !std::isnan(claim.deviation))
        claim.deviation = deviation;
      return;
    }
    claims_.push_back({label, statement, deviation, tolerance});
  }
  /// A and B have the same entries, relative to the largest.
  void equal(const char* label, const char* statement, const BlockSparseMatrix& a,
             const BlockSparseMatrix& b) {
    const double scale = max_abs(b);
    const double difference = max_abs_difference(a, b);
    add(label, statement, scale == 0 ? difference : difference / scale, kEntryTolerance);
  }
  std::vector<Claim> take() { return std::move(claims_); }

 private:
  std::vector<Claim> claims_;
};

BlockSparseMatrix conjugate(BlockSparseMatrix matrix) {
  for (Complex& value : matrix.values) value = std::conj(value);
  return matrix;
}

BlockSparseMatrix times(BlockSparseMatrix matrix, double factor) {
  for (Complex& value : matrix.values) value *= factor;
  return matrix;
}

double largest_imaginary_part(const BlockSparseMatrix& matrix) {
  double largest = 0;
  for (const Complex& value : matrix.values) {
    if (!(std::abs(value.imag()) <= largest)) largest = std::abs(value.imag());  // keeps a NaN
    if (std::isnan(largest)) break;
  }
  return largest;
}

/// The graph without weights, with only the edges selected by `keep`.
template <class Keep>
DirectedGraph unit_subgraph(const DirectedGraph& graph, Keep keep) {
  std::vector<Arc> arcs;
  for (NodeId u = 0; u < graph.num_nodes(); ++u) {
    for (HalfEdgeId h = graph.row_begin(u); h < graph.row_end(u); ++h) {
      if (graph.has_arc(h) && keep(h)) arcs.push_back({u, graph.neighbour(h)});
    }
  }
  return DirectedGraph::from_arcs(graph.num_nodes(), arcs);
}

/// How far the outermost eigenvalue lies beyond `limit`, or 0. Ritz values lie inside the spectrum,
/// so rough ones cannot violate a bound that the spectrum satisfies, and clear violations are
/// detected.
double excess(const LaplacianOperator& laplacian, SpectrumEnd end, double limit) {
  EigenOptions options;
  options.end = end;
  options.count = 1;
  options.tolerance = 1e-6;
  options.max_restarts = 2;
  options.require_convergence = false;
  options.find_multiples = false;
  options.dense_limit = 100;
  const Eigenpairs pairs = extremal_eigenpairs(laplacian, options);
  if (pairs.values.empty()) return 0;
  const double beyond =
      end == SpectrumEnd::kLargest ? pairs.values[0] - limit : limit - pairs.values[0];
  return beyond <= 0 ? 0 : beyond;  // NaN stays NaN
}

/// A random sheaf of every family and field in turn.
SheafOptions sheaf_of_trial(int trial, int stalk_dim, double charge) {
  constexpr MapFamily kFamilies[] = {MapFamily::kDiagonal, MapFamily::kOrthogonal,
                                     MapFamily::kGeneral};
  constexpr MapField kFields[] = {MapField::kPhase, MapField::kReal, MapField::kComplex};
  SheafOptions options;
  options.family = kFamilies[trial % 3];
  options.field = kFields[trial / 3 % 3];
  options.stalk_dim = stalk_dim;
  options.charge = options.field == MapField::kPhase ? charge : 0;
  options.fixed = {.low_pass = trial % 2 == 1, .high_pass = trial % 4 == 2};
  return options;
}

void check_spectrum(const Sheaf& sheaf, Record& record) {
  const BlockSparseMatrix l = laplacian(sheaf);
  record.equal("theorem 1", "L is Hermitian", l, adjoint(l));
  const LaplacianOperator plain(sheaf);
  const double bound = plain.upper_bound();
  record.add("theorem 1", "L is positive semidefinite",
             excess(plain, SpectrumEnd::kSmallest, 0) / (bound > 0 ? bound : 1),
             kSpectrumTolerance);
  for (const Normalisation normalisation : {Normalisation::kExact, Normalisation::kAugmented}) {
    const BlockSparseMatrix l_n = laplacian(sheaf, normalisation);
    const LaplacianOperator op(sheaf, normalisation);
    record.equal("theorem 1", "L_N is Hermitian", l_n, adjoint(l_n));
    record.add("theorem 1", "L_N is positive semidefinite", excess(op, SpectrumEnd::kSmallest, 0),
               kSpectrumTolerance);
    record.add("theorem 2", "no eigenvalue of L_N is above 2", excess(op, SpectrumEnd::kLargest, 2),
               kSpectrumTolerance);
  }
}

/// The same maps on another graph with the same edges, or with another charge.
Sheaf same_maps(const DirectedGraph& graph, SheafOptions options, double charge,
                std::uint64_t seed) {
  options.field = MapField::kPhase;
  options.charge = charge;
  return random_sheaf(graph, options, seed);
}

void check_charges(const DirectedGraph& graph, const DirectedGraph& undirected,
                   const SheafOptions& options, double q, std::uint64_t seed, Record& record) {
  const BlockSparseMatrix l = laplacian(same_maps(graph, options, q, seed));
  const BlockSparseMatrix classical = laplacian(same_maps(undirected, options, 0, seed));
  record.equal("theorem 3", "on an undirected graph, L is the sheaf Laplacian for every q",
               laplacian(same_maps(undirected, options, q, seed)), classical);
  record.equal("theorem 3", "at q = 0, L is the sheaf Laplacian of the undirected version",
               laplacian(same_maps(graph, options, 0, seed)), classical);
  record.equal("note", "q and q + 1 give the same operator",
               laplacian(same_maps(graph, options, q + 1, seed)), l);
  record.equal("note", "q and 1 - q give conjugate operators",
               laplacian(same_maps(graph, options, 1 - q, seed)), conjugate(l));
  record.add("note", "q = 1/2 gives a real operator",
             largest_imaginary_part(laplacian(same_maps(graph, options, 0.5, seed))) /
                 std::max(max_abs(l), std::numeric_limits<double>::min()),
             kEntryTolerance);
}

void check_generalisations(const DirectedGraph& graph, const DirectedGraph& unit, double q,
                           Record& record) {
  const DirectedGraph undirected = unit.symmetrised();
  record.equal("theorem 3", "the trivial sheaf on an undirected graph gives D - A",
               laplacian(Sheaf::trivial(undirected, q)), graph_laplacian_formula(unit));
  record.equal("theorem 4", "the trivial sheaf with F = sqrt|A_s| gives the magnetic Laplacian",
               laplacian(Sheaf::magnetic(graph, q)), magnetic_laplacian_formula(graph, q));
  record.equal("theorem 4", "with the sign rule it gives the sign-magnetic Laplacian",
               laplacian(Sheaf::sign_magnetic(graph)), sign_magnetic_laplacian_formula(graph));
  record.equal("theorem 4", "on unit weights and at q = 1/4 both are the same",
               laplacian(Sheaf::magnetic(unit, 0.25)), sign_magnetic_laplacian_formula(unit));

  const Sheaf trivial = Sheaf::trivial(unit, q);
  const BlockSparseMatrix b = incidence_formula(unit, q);
  record.equal("theorem 5", "the adjoint of the coboundary is the incidence matrix B",
               adjoint(coboundary(trivial)), b);
  record.equal("theorem 5", "B B* is the Laplacian of the trivial sheaf",
               scalar_product(b, adjoint(b)), laplacian(trivial));

  const DirectedGraph two_way =
      unit_subgraph(unit, [&](HalfEdgeId h) { return unit.orientation(h) == 0; });
  const DirectedGraph one_way =
      unit_subgraph(unit, [&](HalfEdgeId h) { return unit.orientation(h) != 0; });
  record.equal("note", "only two-way edges: the trivial sheaf gives the magnetic Laplacian",
               laplacian(Sheaf::trivial(two_way, q)), magnetic_laplacian_formula(two_way, q));
  record.equal("note", "only one-way edges: it gives twice the magnetic Laplacian",
               laplacian(Sheaf::trivial(one_way, q)),
               times(magnetic_laplacian_formula(one_way, q), 2));
}

void check_phases(const DirectedGraph& graph, double q, Record& record) {
  const Sheaf quarter = Sheaf::trivial(graph, 0.25);
  const Sheaf any = Sheaf::trivial(graph, q);
  double from_i = 0;
  double from_conjugate = 0;
  for (HalfEdgeId h = 0; h < graph.num_half_edges(); ++h) {
    if (graph.orientation(h) > 0)
      from_i = std::max(from_i, std::abs(quarter.phase(h) - Complex(0, 1)));
    from_conjugate =
        std::max(from_conjugate, std::abs(any.phase(h) - std::conj(any.phase(graph.reverse(h)))));
  }
  record.add("note", "an arc u -> v at q = 1/4 has T_uv = +i", from_i, kEntryTolerance);
  record.add("note", "T is Hermitian: the conjugate of T_vu is T_uv", from_conjugate,
             kEntryTolerance);
}

}  // namespace

std::vector<Claim> check_theorems(const DirectedGraph& graph, const TheoremOptions& options) {
  if (options.num_trials < 1) {
    throw Error(fmt::format("theorems: {} trials, expected 1 or more", options.num_trials));
  }
  const DirectedGraph unit = unit_subgraph(graph, [](HalfEdgeId) { return true; });
  const DirectedGraph undirected = graph.symmetrised();
  // Two arcs whose weights cancel are an edge of the graph but not of its undirected version; then
  // the maps do not match, and charges are compared without weights.
  const bool has_same_edges = undirected.num_edges() == graph.num_edges();
  const DirectedGraph unit_undirected = unit.symmetrised();
  Random random(options.seed);
  Record record;
  for (int trial = 0; trial < options.num_trials; ++trial) {
    const ProgressScope scope(fmt::format("trial {} of {}", trial + 1, options.num_trials));
    const double q = random.uniform();
    const std::uint64_t seed = random.below(std::uint64_t{1} << 62);
    const SheafOptions sheaf_options = sheaf_of_trial(trial, options.stalk_dim, q);
    check_spectrum(random_sheaf(graph, sheaf_options, seed), record);
    if (sheaf_options.field == MapField::kPhase) {
      check_charges(has_same_edges ? graph : unit, has_same_edges ? undirected : unit_undirected,
                    sheaf_options, q, seed, record);
    }
    check_generalisations(graph, unit, q, record);
    check_phases(unit, q, record);
  }
  std::vector<Claim> claims = record.take();
  std::stable_sort(claims.begin(), claims.end(), [](const Claim& a, const Claim& b) {
    return (a.label == "note") != (b.label == "note") ? b.label == "note" : a.label < b.label;
  });
  return claims;
}

}  // namespace dsnn
