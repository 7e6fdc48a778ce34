#include "dsnn/verify/theorems.h"

#include "dsnn/sheaf/coboundary.h"
#include "dsnn/sheaf/laplacian.h"
#include "dsnn/util/error.h"

#include "support/dense_sheaf.h"
#include "support/test_files.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

// The five theorems as properties: hundreds of random graphs, all families and fields, charges
// anywhere. The other side of each equation is dense and computed from the list of arcs
// (tests/support/dense.h).

namespace dsnn {
namespace {

using testing::adjacency;
using testing::Case;
using testing::Dense;
using testing::DenseReal;
using testing::for_each_case;
using testing::GraphKind;
using testing::largest;
using testing::random_arcs;
using testing::RandomArcs;
using testing::to_eigen;

constexpr double kTolerance = 1e-12;
constexpr double kSpectrumTolerance = 1e-9;

TEST(Theorem1, LaplaciansAreHermitianAndPositiveSemidefinite) {
  for_each_case(10, [](const Case& c) {
    SCOPED_TRACE(c.name);
    const Sheaf sheaf = c.sheaf();
    for (const auto normalisation :
         {Normalisation::kNone, Normalisation::kExact, Normalisation::kAugmented}) {
      const Dense l = to_eigen(laplacian(sheaf, normalisation));
      EXPECT_LE(largest(l - l.adjoint()), kTolerance * std::max(1.0, largest(l)));
      EXPECT_GE(testing::eigenvalues(l)[0], -kSpectrumTolerance);
    }
  });
}

TEST(Theorem2, NormalisedSpectraStayBelowTwo) {
  double closest = 0;
  for_each_case(10, [&](const Case& c) {
    SCOPED_TRACE(c.name);
    const Sheaf sheaf = c.sheaf();
    const Eigen::VectorXd exact =
        testing::eigenvalues(to_eigen(laplacian(sheaf, Normalisation::kExact)));
    EXPECT_LE(exact.maxCoeff(), 2 + kSpectrumTolerance);
    closest = std::max(closest, exact.maxCoeff());
    // Augmented: strictly below 2, by L (D + I)^-1 <= 2 D (D + I)^-1.
    const Eigen::VectorXd augmented =
        testing::eigenvalues(to_eigen(laplacian(sheaf, Normalisation::kAugmented)));
    double largest_block = 0;
    const std::vector<Complex> blocks = diagonal_blocks(sheaf);
    for (const Complex& entry : blocks) largest_block += std::norm(entry);
    const double l_max = std::sqrt(largest_block);  // at least the largest eigenvalue of D
    EXPECT_LE(augmented.maxCoeff(), 2 * l_max / (l_max + 1) + kSpectrumTolerance);
    EXPECT_LT(augmented.maxCoeff(), 2);
    // [eq:upper-bound]
    const Dense l = to_eigen(laplacian(sheaf));
    EXPECT_LE(testing::eigenvalues(l).maxCoeff(),
              LaplacianOperator(sheaf).upper_bound() * (1 + kTolerance) + kTolerance);
  });
  EXPECT_GT(closest, 1.99) << "the bound is never approached: the test could not fail";
}

TEST(Theorem3, UndirectedGraphsHaveTheClassicalLaplacian) {
  for_each_case(6, [](const Case& c) {
    if (c.options.field != MapField::kPhase) return;
    SCOPED_TRACE(c.name);
    const DirectedGraph undirected = c.graph.symmetrised();
    if (undirected.num_edges() != c.graph.num_edges()) return;  // weights that cancel
    SheafOptions classical = c.options;
    classical.field = MapField::kReal;
    classical.charge = 0;
    const Dense expected = to_eigen(laplacian(random_sheaf(undirected, classical, c.seed)));
    EXPECT_LT(largest(to_eigen(laplacian(random_sheaf(undirected, c.options, c.seed))) - expected),
              kTolerance);
    SheafOptions uncharged = c.options;
    uncharged.charge = 0;
    EXPECT_LT(largest(to_eigen(laplacian(random_sheaf(c.graph, uncharged, c.seed))) - expected),
              kTolerance);
  });
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const RandomArcs input = random_arcs(seed, GraphKind::kTwoWay);
    const DenseReal a = adjacency(input);
    const DenseReal expected = DenseReal(a.rowwise().sum().asDiagonal()) - a;  // D - A
    const DirectedGraph graph = input.graph();
    EXPECT_EQ(to_eigen(laplacian(Sheaf::trivial(graph, 0.37))), expected.cast<Complex>());
  }
}

TEST(Theorem4, MagneticAndSignMagneticLaplacians) {
  for (const GraphKind kind : testing::all_graph_kinds()) {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
      SCOPED_TRACE(::testing::Message() << "kind " << static_cast<int>(kind) << " seed " << seed);
      const RandomArcs input = random_arcs(seed, kind);
      const DirectedGraph graph = input.graph();
      const DenseReal a = adjacency(input);
      const double q = Random(seed).uniform(-1, 1);
      EXPECT_LT(largest(to_eigen(laplacian(Sheaf::magnetic(graph, q))) -
                        testing::magnetic_laplacian(a, q)),
                kTolerance);
      const Dense sigma = to_eigen(laplacian(Sheaf::sign_magnetic(graph)));
      EXPECT_LT(largest(sigma - testing::sign_magnetic_laplacian(a)), kTolerance);
      if (input.weights.empty()) {
        EXPECT_LT(largest(to_eigen(laplacian(Sheaf::magnetic(graph, 0.25))) - sigma), kTolerance);
      }
    }
  }
}

TEST(Theorem4, NormalisedOnesToo) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const RandomArcs input = random_arcs(seed, GraphKind::kSigned);
    const DirectedGraph graph = input.graph();
    const Dense l = testing::sign_magnetic_laplacian(adjacency(input));
    // I - D^-1/2 H D^-1/2 on nodes with an edge, 0 elsewhere
    Dense expected = l;
    for (Eigen::Index u = 0; u < l.rows(); ++u) {
      for (Eigen::Index v = 0; v < l.rows(); ++v) {
        const double scale = std::sqrt(l(u, u).real() * l(v, v).real());
        expected(u, v) = scale > 0 ? l(u, v) / scale : 0;
      }
    }
    EXPECT_LT(
        largest(to_eigen(laplacian(Sheaf::sign_magnetic(graph), Normalisation::kExact)) - expected),
        kTolerance);
  }
}

TEST(Theorem5, CoboundaryIsTheIncidenceMatrix) {
  for (const GraphKind kind : {GraphKind::kMixed, GraphKind::kOneWay, GraphKind::kTwoWay}) {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
      SCOPED_TRACE(::testing::Message() << "kind " << static_cast<int>(kind) << " seed " << seed);
      const RandomArcs input = random_arcs(seed, kind);
      const DirectedGraph graph = input.graph();
      const DenseReal a = adjacency(input);
      const double q = Random(seed).uniform(-1, 1);
      const auto t = [&](Eigen::Index u, Eigen::Index v) {
        return std::polar(1.0, 2 * std::numbers::pi * q * (a(u, v) - a(v, u)));
      };
      // The paper's cases, column by column.
      Dense b = Dense::Zero(a.rows(), graph.num_edges());
      Eigen::Index e = 0;
      for (Eigen::Index u = 0; u < a.rows(); ++u) {
        for (Eigen::Index v = u + 1; v < a.rows(); ++v) {
          if (a(u, v) == 0 && a(v, u) == 0) continue;
          const bool is_two_way = a(u, v) != 0 && a(v, u) != 0;
          b(u, e) = a(u, v) != 0 ? Complex(1) : -t(u, v);
          b(v, e) = is_two_way ? Complex(-1) : a(v, u) != 0 ? Complex(1) : -t(v, u);
          ++e;
        }
      }
      const Sheaf trivial = Sheaf::trivial(graph, q);
      EXPECT_LT(largest(to_eigen(coboundary(trivial)).adjoint() - b), kTolerance);
      EXPECT_LT(largest(b * b.adjoint() - to_eigen(laplacian(trivial))), kTolerance);
    }
  }
}

TEST(CheckTheorems, PassesOnEveryKindOfGraph) {
  for (const GraphKind kind : testing::all_graph_kinds()) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      TheoremOptions options;
      options.seed = seed;
      options.stalk_dim = 1 + static_cast<int>(seed % 4);
      std::set<std::string> labels;
      for (const Claim& claim : check_theorems(random_arcs(seed, kind).graph(), options)) {
        EXPECT_TRUE(claim.passed())
            << claim.label << ": " << claim.statement << ": " << claim.deviation << " (kind "
            << static_cast<int>(kind) << ", seed " << seed << ")";
        labels.insert(claim.label);
      }
      EXPECT_EQ(labels, (std::set<std::string>{"note", "theorem 1", "theorem 2", "theorem 3",
                                               "theorem 4", "theorem 5"}));
    }
  }
}

TEST(CheckTheorems, ADeviationFailsAndSoDoesNaN) {
  EXPECT_TRUE((Claim{"", "", 0.5, 0.5}).passed());
  EXPECT_FALSE((Claim{"", "", 0.6, 0.5}).passed());
  EXPECT_FALSE((Claim{"", "", std::nan(""), 0.5}).passed());
}

TEST(CheckTheorems, DoesNotPassWhatOverflows) {
  const std::vector<Arc> arcs = {{0, 1}, {1, 0}, {1, 2}};
  const std::vector<double> weights = {1e308, 1.5e308, 1};
  EXPECT_THROW(check_theorems(DirectedGraph::from_arcs(3, arcs, weights)), Error);
}

TEST(CheckTheorems, IsRelativeToTheSizeOfTheWeights) {
  const std::vector<Arc> arcs = {{0, 1}, {1, 2}, {2, 0}, {0, 2}};
  for (const double size : {1e-150, 1e150}) {
    const std::vector<double> weights(arcs.size(), size);
    for (const Claim& claim : check_theorems(DirectedGraph::from_arcs(3, arcs, weights))) {
      EXPECT_TRUE(claim.passed()) << claim.statement << ": " << claim.deviation << " at " << size;
    }
  }
}

TEST(CheckTheorems, RefusesNoTrials) {
  TheoremOptions options;
  options.num_trials = 0;
  EXPECT_TRUE(testing::contains(testing::message_of<Error>([&] { check_theorems({}, options); }),
                                "0 trials"));
}

}  // namespace
}  // namespace dsnn
