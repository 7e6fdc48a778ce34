#include "dsnn/sheaf/sheaf.h"

#include "dsnn/sheaf/laplacian.h"
#include "dsnn/util/error.h"

#include "support/dense_sheaf.h"
#include "support/test_files.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace dsnn {
namespace {

using testing::Case;
using testing::contains;
using testing::Dense;
using testing::for_each_case;
using testing::map_matrix;
using testing::message_of;

TEST(Sheaf, FamiliesAndFieldsAreWhatTheySay) {
  for_each_case(6, [](const Case& c) {
    SCOPED_TRACE(c.name);
    const Sheaf sheaf = c.sheaf();
    const Eigen::Index d = c.options.stalk_dim;
    EXPECT_EQ(sheaf.stalk_dim(), d + c.options.fixed.count());
    for (HalfEdgeId h = 0; h < c.graph.num_half_edges(); ++h) {
      const Dense map = map_matrix(sheaf.map(h)).topLeftCorner(d, d);
      const double weight = std::abs(c.graph.edge_weight(h));
      if (c.options.family == MapFamily::kDiagonal) {
        EXPECT_EQ(map, Dense(map.diagonal().asDiagonal()));
      }
      if (c.options.family == MapFamily::kOrthogonal) {
        EXPECT_LT(testing::largest(map.adjoint() * map - weight * Dense::Identity(d, d)), 1e-13);
      }
      if (c.options.field != MapField::kComplex) {
        EXPECT_EQ(testing::largest(map.imag().cast<Complex>()), 0);
      }
      if (c.options.field != MapField::kPhase) {
        EXPECT_EQ(sheaf.phase(h).imag(), 0);
      }
      EXPECT_NEAR(std::abs(sheaf.phase(h)), 1, 1e-15);
      EXPECT_EQ(sheaf.phase(c.graph.reverse(h)), std::conj(sheaf.phase(h)));
    }
  });
}

TEST(Sheaf, DiagonalBlocksOfTheOrthogonalFamilyAreScalar) {
  for_each_case(6, [](const Case& c) {
    if (c.options.family != MapFamily::kOrthogonal) return;
    const Sheaf sheaf = c.sheaf();
    const std::vector<Complex> blocks = diagonal_blocks(sheaf);
    const std::int64_t d = sheaf.stalk_dim();
    for (NodeId u = 0; u < c.graph.num_nodes(); ++u) {
      double degree = 0;
      for (HalfEdgeId h = c.graph.row_begin(u); h < c.graph.row_end(u); ++h) {
        degree += std::abs(c.graph.edge_weight(h));
      }
      for (std::int64_t i = 0; i < d * d; ++i) {
        const double expected = i % (d + 1) == 0 ? degree : 0;
        EXPECT_NEAR(std::abs(blocks[static_cast<std::size_t>(u * d * d + i)] - expected), 0, 1e-12)
            << c.name;
      }
    }
  });
}

TEST(Sheaf, FixedDimensionsGivePlusAndMinusThePhase) {
  const std::vector<Arc> arcs = {{0, 1}, {2, 1}, {1, 2}};
  const std::vector<double> weights = {2, -3, -3};
  const DirectedGraph graph = DirectedGraph::from_arcs(3, arcs, weights);
  const Sheaf sheaf = Sheaf::trivial(graph, 0.1, {.low_pass = true, .high_pass = true});
  const Dense l = testing::to_eigen(laplacian(sheaf));
  const Complex t = unit_phase(0.1);
  // Stalk dimension 0: the trivial sheaf; 1: low pass; 2: high pass. Blocks of nodes 0 and 1, then
  // 1 and 2.
  EXPECT_NEAR(std::abs(l(0, 3) + 2.0 * t), 0, 1e-15);
  EXPECT_NEAR(std::abs(l(1, 4) - 2.0 * t), 0, 1e-15);
  EXPECT_NEAR(std::abs(l(2, 5) + 2.0 * t), 0, 1e-15);
  EXPECT_NEAR(std::abs(l(3, 6) - 3.0), 0, 1e-15);  // weight -3: the sign is part of the phase
  EXPECT_NEAR(std::abs(l(4, 7) + 3.0), 0, 1e-15);
  for (int i = 3; i < 6; ++i) EXPECT_NEAR(std::abs(l(i, i) - 5.0), 0, 1e-14);  // |2| + |-3|
}

TEST(Sheaf, WeightsScaleMapsAndSignThePhase) {
  const std::vector<Arc> arcs = {{0, 1}};
  const std::vector<double> weights = {-4};
  const DirectedGraph graph = DirectedGraph::from_arcs(2, arcs, weights);
  const Sheaf sheaf = Sheaf::trivial(graph, 0.25);
  EXPECT_EQ(sheaf.map(0)(0, 0), Complex(2));
  EXPECT_EQ(sheaf.phase(0), Complex(0, -1));
  EXPECT_EQ(sheaf.phase(1), Complex(0, 1));
}

TEST(Sheaf, EdgeWeightsOfItsOwnScaleTheMaps) {
  const std::vector<Arc> arcs = {{0, 1}, {1, 2}};
  const DirectedGraph graph = DirectedGraph::from_arcs(3, arcs);
  SheafOptions options;
  options.family = MapFamily::kOrthogonal;
  options.charge = 0.1;
  const std::vector<Complex> maps = {1, -1, 1, -1};
  const std::vector<double> weights = {0.5, 0.5, 3, 3};  // half-edges (0,1), (1,0), (1,2), (2,1)
  const Dense l = testing::to_eigen(laplacian(Sheaf::from_maps(graph, options, maps, weights)));
  EXPECT_NEAR(std::abs(l(1, 1) - 9.25), 0, 1e-15);
  EXPECT_NEAR(std::abs(l(0, 1) - 0.25 * unit_phase(0.1)), 0, 1e-15);
  EXPECT_NEAR(std::abs(l(1, 2) - 9.0 * unit_phase(0.1)), 0, 1e-15);
  const auto error_of = [&](const std::vector<double>& w) {
    return message_of<Error>([&] { Sheaf::from_maps(graph, options, maps, w); });
  };
  EXPECT_TRUE(contains(error_of({1}), "1 edge weights, expected one for each of 4 half-edges"));
  EXPECT_TRUE(
      contains(error_of({1, 1, 1, 2}), "half-edge 2 and its reverse have different edge weights"));
  EXPECT_TRUE(contains(error_of({1, 1, 0, 0}), "edge weight of half-edge 2 is 0"));
}

TEST(Sheaf, RandomOrthogonalMapsAreRotationsAndReflections) {
  const DirectedGraph graph = testing::random_arcs(3, testing::GraphKind::kMixed, 60).graph();
  ASSERT_GT(graph.num_half_edges(), 20);
  SheafOptions options;
  options.family = MapFamily::kOrthogonal;
  options.stalk_dim = 3;
  const Sheaf sheaf = random_sheaf(graph, options, 1);
  int rotations = 0;
  for (HalfEdgeId h = 0; h < graph.num_half_edges(); ++h) {
    rotations += map_matrix(sheaf.map(h)).determinant().real() > 0 ? 1 : 0;
  }
  EXPECT_GT(rotations, 0);
  EXPECT_LT(rotations, graph.num_half_edges());
}

TEST(Sheaf, DirectionIsInvariantToPositiveScaling) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    testing::RandomArcs input = testing::random_arcs(seed, testing::GraphKind::kSigned);
    const DirectedGraph graph = input.graph();
    for (double& weight : input.weights) weight *= 8;
    const DirectedGraph scaled = input.graph();
    const Sheaf a = Sheaf::trivial(graph, 0.3);
    const Sheaf b = Sheaf::trivial(scaled, 0.3);
    for (HalfEdgeId h = 0; h < graph.num_half_edges(); ++h) EXPECT_EQ(a.phase(h), b.phase(h));
  }
}

TEST(Sheaf, RefusesWhatDoesNotFit) {
  const std::vector<Arc> arcs = {{0, 1}};
  const DirectedGraph graph = DirectedGraph::from_arcs(2, arcs);
  SheafOptions options;
  const auto error_of = [&](std::vector<Complex> maps) {
    return message_of<Error>([&] { Sheaf::from_maps(graph, options, maps); });
  };
  EXPECT_TRUE(contains(error_of({1, 1, 1}), "the maps have 3 elements, expected 2"));
  EXPECT_TRUE(contains(error_of({1, Complex(0, 1)}), "half-edge 1 has an imaginary part"));
  options.charge = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(contains(error_of({1, 1}), "charge q is inf"));
  options.charge = 0.25;
  options.field = MapField::kComplex;
  EXPECT_TRUE(contains(error_of({1, 1}), "expected 0 for complex maps"));
  options.charge = 0;
  options.family = MapFamily::kOrthogonal;
  EXPECT_TRUE(contains(error_of({1, 0.5}), "half-edge 1 is not orthogonal"));
  options.stalk_dim = 0;
  EXPECT_TRUE(contains(error_of({}), "stalk dimension is 0"));
  EXPECT_TRUE(
      contains(message_of<Error>([&] { Sheaf::magnetic(graph, std::nan("")); }), "q is nan"));
  const std::vector<double> weights = {1e10};
  const DirectedGraph heavy = DirectedGraph::from_arcs(2, arcs, weights);
  EXPECT_TRUE(
      contains(message_of<Error>([&] { Sheaf::magnetic(heavy, 1e300); }), "is out of range"));
}

}  // namespace
}  // namespace dsnn
