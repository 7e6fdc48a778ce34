#include "graph/latent_space.h"

#include "dsnn/util/error.h"
#include "dsnn/util/random.h"

#include "support/random_graphs.h"
#include "support/test_files.h"

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <span>
#include <vector>

namespace dsnn {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

DirectedGraph path(NodeId length) {
  std::vector<Arc> arcs;
  for (NodeId u = 0; u + 1 < length; ++u) arcs.push_back({u, u + 1});
  return DirectedGraph::from_arcs(length, arcs);
}

/// Node row * width + column; `extra` leaves at node 0.
DirectedGraph grid(NodeId width, NodeId height, NodeId extra = 0) {
  std::vector<Arc> arcs;
  const NodeId size = width * height;
  for (NodeId u = 0; u < size; ++u) {
    if ((u + 1) % width != 0) arcs.push_back({u, u + 1});
    if (u + width < size) arcs.push_back({u + width, u});
  }
  for (NodeId leaf = size; leaf < size + extra; ++leaf) arcs.push_back({0, leaf});
  return DirectedGraph::from_arcs(size + extra, arcs);
}

double distance(const LatentSpace& space, NodeId u, NodeId v) {
  return std::hypot(space.x(u) - space.x(v), space.y(u) - space.y(v));
}

/// Floyd and Warshall; components one further apart than the largest distance.
Matrix plain_distances(const DirectedGraph& graph) {
  const Eigen::Index n = graph.num_nodes();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Matrix d = Matrix::Constant(n, n, kInfinity);
  d.diagonal().setZero();
  for (const Arc arc : graph.arcs()) d(arc.source, arc.target) = d(arc.target, arc.source) = 1;
  for (Eigen::Index k = 0; k < n; ++k) {
    for (Eigen::Index u = 0; u < n; ++u) {
      for (Eigen::Index v = 0; v < n; ++v) d(u, v) = std::min(d(u, v), d(u, k) + d(k, v));
    }
  }
  double largest = 0;
  for (const double x : d.reshaped()) largest = std::isinf(x) ? largest : std::max(largest, x);
  for (double& x : d.reshaped()) x = std::isinf(x) ? largest + 1 : x;
  return d;
}

/// Classical scaling with the centring matrix written out: sqrt(lambda_k) v_k, and the eigenvalues,
/// largest first.
struct PlainScaling {
  Vector eigenvalues;
  Matrix positions;  // [n, 2]
};
PlainScaling plain_scaling(const Matrix& distances) {
  const Eigen::Index n = distances.rows();
  const Matrix centring =
      Matrix::Identity(n, n) - Matrix::Constant(n, n, 1.0 / static_cast<double>(n));
  const Matrix b = -0.5 * centring * distances.cwiseAbs2() * centring;
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(b);
  PlainScaling result{solver.eigenvalues().reverse(), Matrix::Zero(n, 2)};
  for (Eigen::Index k = 0; k < std::min<Eigen::Index>(2, n); ++k) {
    const double lambda = std::max(0.0, result.eigenvalues[k]);
    result.positions.col(k) = std::sqrt(lambda) * solver.eigenvectors().col(n - 1 - k);
  }
  return result;
}

/// Whether the two axes are determined up to their signs.
bool has_unique_axes(const Vector& eigenvalues) {
  return eigenvalues.size() > 2 && eigenvalues[0] > eigenvalues[1] + 1e-3 &&
         eigenvalues[1] > eigenvalues[2] + 1e-3 && eigenvalues[1] > 1e-3;
}

void expect_same_up_to_signs(const LatentSpace& space, const Matrix& expected) {
  Matrix actual(expected.rows(), 2);
  for (NodeId u = 0; u < space.num_nodes(); ++u) actual.row(u) << space.x(u), space.y(u);
  for (Eigen::Index k = 0; k < 2; ++k) {
    const double sign = actual.col(k).dot(expected.col(k)) < 0 ? -1 : 1;
    EXPECT_LT((actual.col(k) - sign * expected.col(k)).cwiseAbs().maxCoeff(), 1e-6);
  }
}

TEST(Isomap, AgreesWithTheDenseOneWhenAllNodesAreLandmarks) {
  int num_compared = 0;
  for (const auto kind : testing::all_graph_kinds()) {
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
      const DirectedGraph graph = testing::random_arcs(seed, kind, 40).graph();
      const LatentSpace space = isomap(graph);
      EXPECT_EQ(space.landmarks.size(), static_cast<std::size_t>(graph.num_nodes()));
      const PlainScaling plain = plain_scaling(plain_distances(graph));
      if (!has_unique_axes(plain.eigenvalues)) continue;
      SCOPED_TRACE(seed);
      expect_same_up_to_signs(space, plain.positions);
      for (NodeId u = 0; u < graph.num_nodes(); ++u) {
        for (NodeId v = 0; v < u; ++v) {
          EXPECT_NEAR(distance(space, u, v),
                      (plain.positions.row(u) - plain.positions.row(v)).norm(), 1e-6);
        }
      }
      ++num_compared;
    }
  }
  EXPECT_GT(num_compared, 100);
}

TEST(Isomap, OtherNodesAreWhereTheirDistancesToTheLandmarksPutThem) {
  int num_compared = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Random random(seed);
    std::vector<Arc> arcs;
    for (NodeId u = 1; u < 300; ++u) {  // connected, so that there is a single component
      arcs.push_back({u, static_cast<NodeId>(random.below(static_cast<std::uint64_t>(u)))});
    }
    const DirectedGraph graph = DirectedGraph::from_arcs(300, arcs);
    const LatentSpace space = isomap(graph, {.num_landmarks = 100, .seed = seed});
    ASSERT_EQ(space.landmarks.size(), 100U);
    EXPECT_TRUE(std::is_sorted(space.landmarks.begin(), space.landmarks.end()));

    const Matrix all = plain_distances(graph);
    const Matrix squared = all(Eigen::all, space.landmarks).cwiseAbs2();  // [n, L]
    const PlainScaling plain = plain_scaling(all(space.landmarks, space.landmarks));
    if (!has_unique_axes(plain.eigenvalues)) continue;
    // |z - z_l|^2 = d_l^2, less the mean over landmarks of the same: Z z = -(d^2 - mean) / 2 but
    // for a constant, to which Z is orthogonal; by least squares.
    const Matrix means = squared(space.landmarks, Eigen::all).colwise().mean();
    const Matrix right = -0.5 * (squared.rowwise() - means.row(0));
    expect_same_up_to_signs(
        space, plain.positions.colPivHouseholderQr().solve(right.transpose()).transpose());
    ++num_compared;
  }
  EXPECT_GT(num_compared, 10);
}

TEST(Isomap, PathsKeepTheirDistances) {
  for (const NodeId num_landmarks : {3, 10, 500}) {
    for (const NodeId length : {2, 3, 9, 100, 700}) {
      const LatentSpace space = isomap(path(length), {.num_landmarks = num_landmarks});
      for (NodeId u = 0; u < length; ++u) {
        EXPECT_NEAR(distance(space, 0, u), u, 1e-5);
        EXPECT_EQ(space.y(u), 0);
      }
      EXPECT_GT(std::max(space.x(0), space.x(length - 1)), 0);
    }
  }
}

TEST(Isomap, CyclesBecomeCircles) {
  constexpr NodeId kLength = 24;
  std::vector<Arc> arcs;
  for (NodeId u = 0; u < kLength; ++u) arcs.push_back({u, (u + 1) % kLength});
  const LatentSpace space = isomap(DirectedGraph::from_arcs(kLength, arcs));
  const double radius = std::hypot(space.x(0), space.y(0));
  EXPECT_GT(radius, 3);
  for (NodeId u = 0; u < kLength; ++u) {
    EXPECT_NEAR(distance(space, 0, u), 2 * radius * std::sin(std::numbers::pi * u / kLength), 1e-6);
  }
}

TEST(Isomap, GridsLieFlat) {
  constexpr NodeId kWidth = 40;
  constexpr NodeId kHeight = 25;
  const DirectedGraph graph = grid(kWidth, kHeight);
  for (const NodeId num_landmarks : {60, 500, 1000}) {
    const LatentSpace space = isomap(graph, {.num_landmarks = num_landmarks});
    const double right = space.x(kWidth - 1) > space.x(0) ? 1 : -1;
    const double up = space.y(graph.num_nodes() - 1) > space.y(0) ? 1 : -1;
    for (NodeId u = 0; u < graph.num_nodes(); ++u) {
      if ((u + 1) % kWidth != 0) {
        EXPECT_GT(right * (space.x(u + 1) - space.x(u)), 0.2);
      }
      if (u + kWidth < graph.num_nodes()) {
        EXPECT_GT(up * (space.y(u + kWidth) - space.y(u)), 0.2);
      }
    }
  }
}

TEST(Isomap, NodesThatCannotBeToldApartCoincide) {
  constexpr NodeId kGrid = 15 * 6;
  const LatentSpace space = isomap(grid(15, 6, 4));
  for (NodeId leaf = kGrid + 1; leaf < kGrid + 4; ++leaf) {
    EXPECT_EQ(space.x(leaf), space.x(kGrid));
    EXPECT_EQ(space.y(leaf), space.y(kGrid));
  }
}

TEST(Isomap, RelabellingPermutesThePositions) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const testing::RandomArcs input = testing::random_arcs(seed, testing::GraphKind::kMixed, 40);
    const DirectedGraph graph = input.graph();
    if (!has_unique_axes(plain_scaling(plain_distances(graph)).eigenvalues)) continue;
    std::vector<NodeId> label(static_cast<std::size_t>(input.num_nodes));
    std::iota(label.begin(), label.end(), 0);
    Random random(seed);
    random.shuffle(label);
    std::vector<Arc> arcs;
    for (const Arc arc : input.arcs) {
      arcs.push_back({label[static_cast<std::size_t>(arc.source)],
                      label[static_cast<std::size_t>(arc.target)]});
    }
    const LatentSpace relabelled = isomap(DirectedGraph::from_arcs(input.num_nodes, arcs));
    Matrix expected(input.num_nodes, 2);
    for (NodeId u = 0; u < input.num_nodes; ++u) {
      const NodeId w = label[static_cast<std::size_t>(u)];
      expected.row(u) << relabelled.x(w), relabelled.y(w);
    }
    SCOPED_TRACE(seed);
    expect_same_up_to_signs(isomap(graph), expected);
  }
}

TEST(Isomap, ComponentsAreApart) {
  // Two paths of ten nodes and a lone node: within a path up to 9 hops, else 10.
  std::vector<Arc> arcs;
  for (NodeId u = 0; u < 9; ++u) {
    arcs.push_back({u, u + 1});
    arcs.push_back({u + 10, u + 11});
  }
  const DirectedGraph graph = DirectedGraph::from_arcs(21, arcs);
  const PlainScaling plain = plain_scaling(plain_distances(graph));
  const LatentSpace space = isomap(graph);
  for (NodeId u = 0; u < 10; ++u) {
    for (NodeId v = 10; v < 20; ++v) EXPECT_GT(distance(space, u, v), 1);
  }
  EXPECT_NEAR(plain.positions.squaredNorm(),
              std::inner_product(space.positions.begin(), space.positions.end(),
                                 space.positions.begin(), 0.0),
              1e-5);
}

TEST(Isomap, TinyAndEdgelessGraphs) {
  const LatentSpace none = isomap(DirectedGraph());
  EXPECT_TRUE(none.positions.empty());
  EXPECT_EQ(latent_neighbourhood(none, 3).row_offsets, std::vector<std::int64_t>{0});
  EXPECT_EQ(isomap(path(1)).positions, (std::vector<double>{0, 0}));
  EXPECT_EQ(isomap(path(2)).positions, (std::vector<double>{0.5, 0, -0.5, 0}));
  for (const NodeId size : {2, 3, 4, 17, 600}) {  // all at distance 1 from each other
    const LatentSpace space = isomap(DirectedGraph::from_arcs(size, {}));
    ASSERT_EQ(space.num_nodes(), size);
    for (const double z : space.positions) EXPECT_LE(std::abs(z), 1);
    EXPECT_TRUE(latent_neighbourhood(space, 0).neighbours.empty());
  }
}

TEST(Isomap, IsDeterministicAndDependsOnTheSeedThroughLandmarksOnly) {
  const DirectedGraph graph = grid(30, 20);
  const IsomapOptions few = {.num_landmarks = 70, .seed = 1};
  EXPECT_EQ(isomap(graph, few).positions, isomap(graph, few).positions);
  EXPECT_NE(isomap(graph, few).landmarks,
            isomap(graph, {.num_landmarks = 70, .seed = 2}).landmarks);
  EXPECT_EQ(isomap(graph, {.num_landmarks = 600, .seed = 1}).positions,
            isomap(graph, {.num_landmarks = 600, .seed = 2}).positions);
}

TEST(Isomap, TooFewLandmarks) {
  EXPECT_EQ(testing::message_of<Error>([&] { isomap(path(9), {.num_landmarks = 2}); }),
            "isomap: 2 landmarks, expected 3 or more");
}

TEST(LatentNeighbourhood, IsTheGraphOfAPath) {
  const DirectedGraph graph = path(30);
  const NeighbourLists lists = latent_neighbourhood(isomap(graph), graph.num_edges());
  EXPECT_TRUE(std::ranges::equal(lists.row_offsets, graph.row_offsets()));
  EXPECT_TRUE(std::ranges::equal(lists.neighbours, graph.neighbours()));
}

TEST(LatentNeighbourhood, IsSymmetricSortedAndOfTheSizeOfTheGraph) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const DirectedGraph graph = testing::random_arcs(seed, testing::GraphKind::kMixed, 60).graph();
    const LatentSpace space = isomap(graph);
    const NeighbourLists lists = latent_neighbourhood(space, graph.num_edges());
    ASSERT_EQ(static_cast<HalfEdgeId>(lists.neighbours.size()), graph.num_half_edges());
    const auto row = [&](NodeId u) {
      const std::span<const NodeId> all(lists.neighbours);
      const auto begin = static_cast<std::size_t>(lists.row_offsets[static_cast<std::size_t>(u)]);
      const auto end = static_cast<std::size_t>(lists.row_offsets[static_cast<std::size_t>(u) + 1]);
      return all.subspan(begin, end - begin);
    };
    double furthest_in = 0;
    double nearest_out = std::numeric_limits<double>::infinity();
    for (NodeId u = 0; u < graph.num_nodes(); ++u) {
      EXPECT_TRUE(std::ranges::is_sorted(row(u)));
      for (NodeId v = 0; v < graph.num_nodes(); ++v) {
        const bool is_in = std::ranges::binary_search(row(u), v);
        EXPECT_EQ(is_in, std::ranges::binary_search(row(v), u));
        if (u == v) {
          EXPECT_FALSE(is_in);
        } else if (is_in) {
          furthest_in = std::max(furthest_in, distance(space, u, v));
        } else {
          nearest_out = std::min(nearest_out, distance(space, u, v));
        }
      }
    }
    EXPECT_LE(furthest_in, nearest_out + 1e-12) << seed;
  }
}

TEST(LatentNeighbourhood, OfALargeGraph) {
  constexpr NodeId kNodes = 100'000;
  Random random(3);
  std::vector<Arc> arcs;
  for (int i = 0; i < 500'000; ++i) {
    arcs.push_back(
        {static_cast<NodeId>(random.below(kNodes)), static_cast<NodeId>(random.below(kNodes))});
  }
  const DirectedGraph graph = DirectedGraph::from_arcs(kNodes, arcs);
  const LatentSpace space = isomap(graph);
  for (const double z : space.positions) ASSERT_TRUE(std::isfinite(z));
  const NeighbourLists lists = latent_neighbourhood(space, graph.num_edges());
  EXPECT_EQ(static_cast<HalfEdgeId>(lists.neighbours.size()), graph.num_half_edges());
}

TEST(LatentRelation, QuadrantsAndTies) {
  // node 0 in the middle of a 3 x 3 grid: 1 2 3 above, 4 5 beside, 6 7 8 below; 9 at the same place
  LatentSpace space;
  space.positions = {0, 0, -1, 1, 0, 1, 1, 1, -1, 0, 1, 0, -1, -1, 0, -1, 1, -1, 0, 0};
  const std::vector<Quadrant> expected = {
      Quadrant::kUpperLeft,  Quadrant::kUpperRight, Quadrant::kUpperRight,
      Quadrant::kUpperLeft,  Quadrant::kUpperRight, Quadrant::kLowerLeft,
      Quadrant::kLowerRight, Quadrant::kLowerRight, Quadrant::kUpperRight};
  for (NodeId v = 1; v < 10; ++v) {
    EXPECT_EQ(quadrant(space, 0, v), expected[static_cast<std::size_t>(v) - 1]) << v;
  }
}

}  // namespace
}  // namespace dsnn
