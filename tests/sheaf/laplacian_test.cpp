#include "dsnn/sheaf/laplacian.h"

#include "dsnn/sheaf/coboundary.h"
#include "dsnn/util/error.h"

#include "support/dense_sheaf.h"
#include "support/test_files.h"

#include <gtest/gtest.h>

#include <cmath>

namespace dsnn {
namespace {

using testing::Case;
using testing::Dense;
using testing::for_each_case;
using testing::largest;
using testing::to_eigen;

constexpr double kTolerance = 1e-12;
constexpr Normalisation kNormalisations[] = {Normalisation::kNone, Normalisation::kExact,
                                             Normalisation::kAugmented, Normalisation::kDegree};

TEST(Laplacian, OfThreeNodesByHand) {
  // 0 -> 1, 1 <-> 2 at q = 1/4
  const std::vector<Arc> arcs = {{0, 1}, {1, 2}, {2, 1}};
  const DirectedGraph graph = DirectedGraph::from_arcs(3, arcs);
  Dense expected(3, 3);
  expected << 1, Complex(0, -1), 0, Complex(0, 1), 2, -1, 0, -1, 1;
  EXPECT_EQ(to_eigen(laplacian(Sheaf::trivial(graph, 0.25))), expected);
}

TEST(Laplacian, IsDeltaStarDelta) {
  for_each_case(8, [](const Case& c) {
    SCOPED_TRACE(c.name);
    const Sheaf sheaf = c.sheaf();
    const Dense delta = testing::dense_coboundary(c, sheaf);
    EXPECT_LT(largest(to_eigen(coboundary(sheaf)) - delta), kTolerance);
    EXPECT_LT(largest(to_eigen(laplacian(sheaf)) - delta.adjoint() * delta), kTolerance);
  });
}

TEST(Laplacian, NormalisedIsSLS) {
  for_each_case(8, [](const Case& c) {
    SCOPED_TRACE(c.name);
    const Sheaf sheaf = c.sheaf();
    const Dense l = to_eigen(laplacian(sheaf));
    for (const bool is_augmented : {false, true}) {
      const Dense s = testing::dense_inverse_root(l, sheaf.stalk_dim(), is_augmented);
      const auto normalisation = is_augmented ? Normalisation::kAugmented : Normalisation::kExact;
      // Nearly singular blocks lose digits: about eps times the square of the largest entry of S.
      const double tolerance = kTolerance * std::max(1.0, std::pow(largest(s), 2));
      EXPECT_LT(largest(to_eigen(laplacian(sheaf, normalisation)) - s * l * s), tolerance);
    }
  });
}

TEST(Laplacian, NormalisedByDegreesIsSLS) {
  for_each_case(8, [](const Case& c) {
    SCOPED_TRACE(c.name);
    const Sheaf sheaf = c.sheaf();
    const Dense l = to_eigen(laplacian(sheaf));
    // One value per node: a bound of the norm of a map times the degree, plus 1.
    const double bound = c.options.family == MapFamily::kGeneral ? c.options.stalk_dim : 1;
    Eigen::VectorXd s(l.rows());
    for (NodeId u = 0; u < c.graph.num_nodes(); ++u) {
      double degree = 0;
      for (HalfEdgeId h = c.graph.row_begin(u); h < c.graph.row_end(u); ++h) {
        degree += std::abs(c.graph.edge_weight(h));
      }
      const Eigen::Index d = sheaf.stalk_dim();
      s.segment(u * d, d).setConstant(1 / std::sqrt(bound * degree + 1));
    }
    const Dense root = s.cast<Complex>().asDiagonal();
    EXPECT_LT(largest(to_eigen(laplacian(sheaf, Normalisation::kDegree)) - root * l * root),
              kTolerance);
    const Eigen::VectorXd values = testing::eigenvalues(root * l * root);
    const double upper_bound = LaplacianOperator(sheaf, Normalisation::kDegree).upper_bound();
    if (values.size() > 0) {
      EXPECT_LE(values.maxCoeff(), upper_bound + kTolerance);
    }
  });
}

TEST(Laplacian, RefusesBlocksThatAreTooLarge) {
  const std::vector<Arc> arcs = {{0, 1}, {0, 2}};
  const DirectedGraph graph = DirectedGraph::from_arcs(3, arcs, std::vector<double>{1e308, 1e308});
  const Sheaf sheaf = Sheaf::trivial(graph, 0);
  EXPECT_THROW(laplacian(sheaf, Normalisation::kExact), Error);
  EXPECT_THROW(LaplacianOperator(sheaf, Normalisation::kExact), Error);
}

TEST(Laplacian, ApplyAgreesWithTheMatrix) {
  for_each_case(6, [](const Case& c) {
    SCOPED_TRACE(c.name);
    const Sheaf sheaf = c.sheaf();
    const std::int64_t channels = 1 + static_cast<std::int64_t>(c.seed % 5);
    const auto size = static_cast<std::size_t>(sheaf.num_stalk_entries() * channels);
    const std::vector<Complex> x = testing::random_vector(size, c.seed);
    for (const Normalisation normalisation : kNormalisations) {
      const std::vector<Complex> y = LaplacianOperator(sheaf, normalisation).apply(x, channels);
      const std::vector<Complex> expected = laplacian(sheaf, normalisation).multiply(x, channels);
      EXPECT_LT(testing::largest_difference(y, expected), 1e-10);
    }
    const std::vector<Complex> delta_x = apply_coboundary(sheaf, x, channels);
    EXPECT_LT(testing::largest_difference(delta_x, coboundary(sheaf).multiply(x, channels)),
              kTolerance);
    // delta* delta x = L x
    EXPECT_LT(testing::largest_difference(apply_coboundary_adjoint(sheaf, delta_x, channels),
                                          LaplacianOperator(sheaf).apply(x, channels)),
              kTolerance);
  });
}

TEST(Laplacian, RelabellingTheNodesPermutesTheOperator) {
  for_each_case(3, [](const Case& c) {
    SCOPED_TRACE(c.name);
    Random random(c.seed);
    std::vector<NodeId> to(static_cast<std::size_t>(c.graph.num_nodes()));
    for (std::size_t u = 0; u < to.size(); ++u) to[u] = static_cast<NodeId>(u);
    random.shuffle(to);
    Case moved = c;
    for (Arc& arc : moved.input.arcs) {
      arc = {to[static_cast<std::size_t>(arc.source)], to[static_cast<std::size_t>(arc.target)]};
    }
    moved.graph = moved.input.graph();
    // Trivial and magnetic sheaves have no maps that would have to move along.
    for (const bool is_magnetic : {false, true}) {
      const double q = random.uniform();
      const auto make = [&](const DirectedGraph& g) {
        return is_magnetic ? Sheaf::magnetic(g, q, c.options.fixed)
                           : Sheaf::trivial(g, q, c.options.fixed);
      };
      const Sheaf before = make(c.graph);
      const Sheaf after = make(moved.graph);
      const Eigen::Index d = before.stalk_dim();
      Dense p = Dense::Zero(before.num_stalk_entries(), before.num_stalk_entries());
      for (std::size_t u = 0; u < to.size(); ++u) {
        p.block(to[u] * d, static_cast<Eigen::Index>(u) * d, d, d).setIdentity();
      }
      for (const Normalisation normalisation : kNormalisations) {
        EXPECT_LT(largest(to_eigen(laplacian(after, normalisation)) -
                          p * to_eigen(laplacian(before, normalisation)) * p.transpose()),
                  kTolerance);
      }
    }
  });
}

TEST(Laplacian, ReversingAllArcsConjugates) {
  for_each_case(4, [](const Case& c) {
    if (c.options.field != MapField::kPhase) return;
    const DirectedGraph reversed = c.graph.reversed();
    const Dense l = to_eigen(laplacian(c.sheaf()));
    EXPECT_LT(
        largest(to_eigen(laplacian(random_sheaf(reversed, c.options, c.seed))) - l.conjugate()),
        kTolerance)
        << c.name;
  });
}

TEST(Laplacian, DegenerateGraphsWork) {
  const std::vector<Arc> reciprocal = {{0, 1}, {1, 0}};
  for (const DirectedGraph& graph :
       {DirectedGraph(), DirectedGraph::from_arcs(1, {}), DirectedGraph::from_arcs(5, {}),
        DirectedGraph::from_arcs(3, reciprocal)}) {
    for (const Normalisation normalisation : kNormalisations) {
      SheafOptions options;
      options.stalk_dim = 2;
      const Sheaf sheaf = random_sheaf(graph, options, 1);
      const BlockSparseMatrix l = laplacian(sheaf, normalisation);
      EXPECT_EQ(l.num_rows(), 2 * graph.num_nodes());
      const std::vector<Complex> x =
          testing::random_vector(static_cast<std::size_t>(l.num_rows()), 3);
      const auto y = LaplacianOperator(sheaf, normalisation).apply(x);
      EXPECT_LT(testing::largest_difference(y, l.multiply(x, 1)), kTolerance);
    }
  }
}

TEST(BlockSparse, DifferencesKeepNaN) {
  const std::vector<Arc> arcs = {{0, 1}, {1, 2}};
  const DirectedGraph graph = DirectedGraph::from_arcs(3, arcs);
  const BlockSparseMatrix l = laplacian(Sheaf::trivial(graph, 0.1));
  for (std::size_t i = 0; i < l.values.size(); ++i) {
    BlockSparseMatrix broken = l;
    broken.values[i] = std::nan("");
    EXPECT_TRUE(std::isnan(max_abs_difference(l, broken)));
    EXPECT_TRUE(std::isnan(max_abs(broken)));
  }
  EXPECT_EQ(max_abs_difference(l, adjoint(adjoint(l))), 0);
}

TEST(BlockSparse, DifferencesSeeBlocksThatOneSideLacks) {
  const std::vector<Arc> arcs = {{0, 1}};
  const DirectedGraph graph = DirectedGraph::from_arcs(2, arcs);
  const BlockSparseMatrix l = laplacian(Sheaf::trivial(graph, 0));
  BlockSparseMatrix diagonal;
  diagonal.num_block_cols = 2;
  diagonal.row_offsets = {0, 1, 2};
  diagonal.cols = {0, 1};
  diagonal.values = {1, 1};
  EXPECT_EQ(max_abs_difference(l, diagonal), 1);
  EXPECT_EQ(max_abs_difference(diagonal, l), 1);
}

TEST(Laplacian, SaysWhichLengthIsWrong) {
  const DirectedGraph graph = DirectedGraph::from_arcs(3, {});
  const Sheaf sheaf = Sheaf::trivial(graph, 0);
  const std::vector<Complex> x(4);
  const auto message = [](const auto& action) { return testing::message_of<Error>(action); };
  EXPECT_TRUE(testing::contains(message([&] { LaplacianOperator(sheaf).apply(x, 1); }),
                                "x has 4 elements, expected 3"));
  EXPECT_TRUE(
      testing::contains(message([&] { laplacian(sheaf).multiply(x, 1); }), "x has 4 elements"));
  EXPECT_TRUE(
      testing::contains(message([&] { apply_coboundary(sheaf, x, 1); }), "x has 4 elements"));
  EXPECT_TRUE(testing::contains(message([&] { apply_coboundary_adjoint(sheaf, x, 1); }),
                                "y has 4 elements"));
}

}  // namespace
}  // namespace dsnn
