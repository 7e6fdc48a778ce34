#include "dsnn/spectral/eigenpairs.h"

#include "dsnn/graph/dsbm.h"
#include "dsnn/graph/statistics.h"
#include "dsnn/util/error.h"

#include "support/dense_sheaf.h"
#include "support/test_files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace dsnn {
namespace {

using testing::Dense;
using testing::to_eigen;

/// Values, residuals and orthonormality against the dense solution; Lanczos is forced for any size.
void expect_ends_of_spectrum(const Sheaf& sheaf, Normalisation normalisation, int count,
                             std::int64_t dense_limit = 0) {
  const LaplacianOperator op(sheaf, normalisation);
  const Dense matrix = to_eigen(laplacian(sheaf, normalisation));
  const Eigen::VectorXd expected = testing::eigenvalues(matrix);
  const double scale = std::max(1.0, op.upper_bound());
  for (const SpectrumEnd end : {SpectrumEnd::kSmallest, SpectrumEnd::kLargest}) {
    EigenOptions options;
    options.end = end;
    options.count = count;
    options.dense_limit = dense_limit;
    const Eigenpairs pairs = extremal_eigenpairs(op, options);
    const auto size = static_cast<std::size_t>(op.size());
    ASSERT_EQ(pairs.values.size(), std::min(size, static_cast<std::size_t>(count)));
    ASSERT_EQ(pairs.vectors.size(), pairs.values.size() * size);
    Dense vectors(op.size(), static_cast<Eigen::Index>(pairs.values.size()));
    for (std::size_t i = 0; i < pairs.values.size(); ++i) {
      const auto j = static_cast<Eigen::Index>(i);
      const double value =
          end == SpectrumEnd::kSmallest ? expected[j] : expected[expected.size() - 1 - j];
      EXPECT_NEAR(pairs.values[i], value, 1e-8 * scale);
      for (std::size_t k = 0; k < size; ++k) {
        vectors(static_cast<Eigen::Index>(k), j) = pairs.vectors[i * size + k];
      }
      const double residual = (matrix * vectors.col(j) - pairs.values[i] * vectors.col(j)).norm();
      EXPECT_LT(residual, 1e-8 * scale);
      EXPECT_NEAR(pairs.residuals[i], residual, 1e-9 * scale);
    }
    EXPECT_LT(testing::largest(vectors.adjoint() * vectors -
                               Dense::Identity(vectors.cols(), vectors.cols())),
              1e-10);
  }
}

TEST(Eigenpairs, DenseAndLanczosAgreeOnRandomSheaves) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const DirectedGraph graph =
        testing::random_arcs(seed, testing::all_graph_kinds()[seed % 5], 40).graph();
    SheafOptions options;
    options.family = MapFamily::kGeneral;
    options.stalk_dim = 2;
    options.charge = 0.2;
    const Sheaf sheaf = random_sheaf(graph, options, seed);
    for (const auto normalisation :
         {Normalisation::kNone, Normalisation::kExact, Normalisation::kAugmented}) {
      SCOPED_TRACE(seed);
      expect_ends_of_spectrum(sheaf, normalisation, 3);
      expect_ends_of_spectrum(sheaf, normalisation, 1000);
      expect_ends_of_spectrum(sheaf, normalisation, 3, 1000);
    }
  }
}

TEST(Eigenpairs, MultipleEigenvaluesAreFoundAsOftenAsTheyOccur) {
  // Thirty directed triangles: every eigenvalue thirty times.
  std::vector<Arc> triangles;
  for (NodeId u = 0; u < 90; u += 3) {
    triangles.insert(triangles.end(), {{u, u + 1}, {u + 1, u + 2}, {u + 2, u}});
  }
  const DirectedGraph many = DirectedGraph::from_arcs(90, triangles);
  expect_ends_of_spectrum(Sheaf::trivial(many, 0.1), Normalisation::kNone, 10);
  expect_ends_of_spectrum(Sheaf::trivial(many, 0), Normalisation::kExact, 10);
  // A star: 0, n - 2 times 1, n.
  std::vector<Arc> rays;
  for (NodeId v = 1; v < 100; ++v) rays.push_back({0, v});
  const DirectedGraph star = DirectedGraph::from_arcs(100, rays);
  expect_ends_of_spectrum(Sheaf::trivial(star, 0.25), Normalisation::kNone, 8);
  expect_ends_of_spectrum(Sheaf::trivial(star, 0.25), Normalisation::kExact, 8);
}

TEST(Eigenpairs, TheKernelAtChargeZeroHasAVectorForEachComponent) {
  DsbmOptions options;
  options.num_nodes = 600;
  options.num_communities = 12;
  options.alpha_in = 0.3;
  const DirectedGraph graph = DirectedGraph::from_arcs(600, sample_dsbm(options));
  ASSERT_EQ(weak_components(graph).count, 12);
  const Sheaf sheaf = Sheaf::trivial(graph, 0);
  EigenOptions wanted;
  wanted.count = 14;
  const Eigenpairs pairs = extremal_eigenpairs(LaplacianOperator(sheaf), wanted);
  EXPECT_FALSE(pairs.is_dense);
  const auto zeros =
      std::count_if(pairs.values.begin(), pairs.values.end(), [](double v) { return v < 1e-6; });
  EXPECT_EQ(zeros, 12);
}

// One edge that is heavier than all others together leaves few digits for the rest, but no
// component goes unseen.
TEST(Eigenpairs, AHeavyEdgeHidesNoComponent) {
  std::vector<Arc> arcs = {{500, 501}};
  std::vector<double> weights = {1e9};
  for (NodeId u = 0; u < 500; ++u) {
    for (NodeId step = 1; step <= 20; ++step) {
      arcs.push_back({u, u / 100 * 100 + (u + step) % 100});
      weights.push_back(1);
    }
  }
  const DirectedGraph graph = DirectedGraph::from_arcs(502, arcs, weights);
  ASSERT_EQ(weak_components(graph).count, 6);
  const Sheaf sheaf = Sheaf::trivial(graph, 0);
  const Eigenpairs pairs = extremal_eigenpairs(LaplacianOperator(sheaf));
  EXPECT_FALSE(pairs.is_dense);
  for (const double value : pairs.values) EXPECT_LT(value, 1);  // the next is above 10
}

// The claim of the quick tour: at q = 1/4 the phases of the outlying eigenvector give the
// communities, which differ only in the directions between them; at q = 0 they do not.
TEST(Eigenpairs, ChargeShowsCommunitiesThatOnlyDirectionsTellApart) {
  DsbmOptions model;
  model.num_nodes = 300;
  model.num_communities = 3;
  model.alpha_in = model.alpha_out = model.beta = 0.1;
  const DirectedGraph graph = DirectedGraph::from_arcs(300, sample_dsbm(model));
  const std::vector<std::int64_t> community = dsbm_communities(model);
  const auto share_recovered = [&](double charge, int which) {
    const Sheaf sheaf = Sheaf::trivial(graph, charge);
    EigenOptions options;
    options.count = which + 1;
    const Eigenpairs pairs =
        extremal_eigenpairs(LaplacianOperator(sheaf, Normalisation::kExact), options);
    const Complex* x = pairs.vectors.data() + 300 * which;
    std::array<Complex, 3> mean{};
    for (std::size_t u = 0; u < 300; ++u) mean[static_cast<std::size_t>(community[u])] += x[u];
    int right = 0;
    for (std::size_t u = 0; u < 300; ++u) {  // the community whose mean phase is nearest
      const auto closeness = [&](const Complex& m) {
        return (std::conj(m) * x[u]).real() / std::abs(m);
      };
      const auto best = std::max_element(
          mean.begin(), mean.end(),
          [&](const Complex& p, const Complex& q) { return closeness(p) < closeness(q); });
      right += best - mean.begin() == community[u] ? 1 : 0;
    }
    return right / 300.0;
  };
  EXPECT_GT(share_recovered(0.25, 0), 0.9);
  EXPECT_LT(share_recovered(0, 1), 0.6);
}

TEST(Eigenpairs, EmptyAndZeroOperators) {
  const DirectedGraph none;
  const Sheaf empty = Sheaf::trivial(none, 0);
  EXPECT_TRUE(extremal_eigenpairs(LaplacianOperator(empty)).values.empty());
  const DirectedGraph isolated = DirectedGraph::from_arcs(1000, {});
  const Sheaf sheaf = Sheaf::trivial(isolated, 0);
  for (const auto normalisation :
       {Normalisation::kNone, Normalisation::kExact, Normalisation::kAugmented}) {
    const Eigenpairs pairs = extremal_eigenpairs(LaplacianOperator(sheaf, normalisation));
    ASSERT_EQ(pairs.values.size(), 6U);
    for (const double value : pairs.values) EXPECT_NEAR(value, 0, 1e-12);
  }
}

TEST(Eigenpairs, SameCallSameBits) {
  const DirectedGraph graph = testing::random_arcs(3, testing::GraphKind::kMixed, 60).graph();
  const Sheaf sheaf = Sheaf::magnetic(graph, 0.1);
  EigenOptions options;
  options.dense_limit = 0;
  options.count = 2;
  const LaplacianOperator op(sheaf, Normalisation::kAugmented);
  EXPECT_EQ(extremal_eigenpairs(op, options).vectors, extremal_eigenpairs(op, options).vectors);
}

TEST(Eigenpairs, SaysWhatIsWrong) {
  const std::vector<Arc> arcs = {{0, 1}};
  const DirectedGraph graph = DirectedGraph::from_arcs(5000, arcs);
  const Sheaf sheaf = Sheaf::trivial(graph, 0);
  const LaplacianOperator op(sheaf, Normalisation::kExact);
  const auto error_of = [&](auto change) {
    EigenOptions options;
    change(options);
    return testing::message_of<Error>([&] { extremal_eigenpairs(op, options); });
  };
  EXPECT_TRUE(testing::contains(error_of([](auto& o) { o.count = 0; }), "0 requested"));
  EXPECT_TRUE(testing::contains(error_of([](auto& o) { o.tolerance = 0; }), "tolerance is 0"));
  EXPECT_TRUE(testing::contains(error_of([](auto& o) { o.count = 4000; }), "at most 1250"));
}

TEST(Eigenpairs, ThrowsWhenNothingConverges) {
  DsbmOptions model;
  model.num_nodes = 700;
  model.alpha_in = 0.02;
  const DirectedGraph graph = DirectedGraph::from_arcs(700, sample_dsbm(model));
  const Sheaf sheaf = Sheaf::trivial(graph, 0.1);
  EigenOptions options;
  options.max_restarts = 1;
  const std::string message =
      testing::message_of<Error>([&] { extremal_eigenpairs(LaplacianOperator(sheaf), options); });
  EXPECT_TRUE(testing::contains(message, "try a larger tolerance"));
  options.require_convergence = false;
  options.find_multiples = false;
  const Eigenpairs rough = extremal_eigenpairs(LaplacianOperator(sheaf), options);
  EXPECT_EQ(rough.values.size(), 6U);
  EXPECT_GT(*std::max_element(rough.residuals.begin(), rough.residuals.end()), 1e-6);
}

}  // namespace
}  // namespace dsnn
