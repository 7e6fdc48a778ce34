#include "dsnn/data/dataset.h"
#include "dsnn/graph/statistics.h"
#include "dsnn/sheaf/coboundary.h"
#include "dsnn/sheaf/laplacian.h"

#include "support/dense_sheaf.h"
#include "support/test_files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <map>

// One test for each line of docs/paper-notes.md.

namespace dsnn {
namespace {

using testing::adjacency;
using testing::Dense;
using testing::GraphKind;
using testing::largest;
using testing::random_arcs;
using testing::RandomArcs;
using testing::to_eigen;

constexpr double kTolerance = 1e-12;

TEST(PaperNotes, PhaseOfAnArcIsPlusI) {
  const std::vector<Arc> arcs = {{0, 1}};
  const DirectedGraph graph = DirectedGraph::from_arcs(2, arcs);
  EXPECT_EQ(Sheaf::trivial(graph, 0.25).phase(0), Complex(0, 1));
}

TEST(PaperNotes, PhasesAreHermitian) {
  const std::vector<Arc> arcs = {{0, 1}};
  const DirectedGraph graph = DirectedGraph::from_arcs(2, arcs);
  const Sheaf sheaf = Sheaf::trivial(graph, 0.1);
  EXPECT_EQ(std::conj(sheaf.phase(1)), sheaf.phase(0));
  EXPECT_NE(std::conj(sheaf.phase(1)), -sheaf.phase(0));
}

TEST(PaperNotes, TrivialSheafNeedsWeightsOnMixedGraphs) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    for (const auto& [kind, factor] :
         {std::pair(GraphKind::kTwoWay, 1.0), std::pair(GraphKind::kOneWay, 2.0)}) {
      const RandomArcs input = random_arcs(seed, kind);
      const DirectedGraph graph = input.graph();
      EXPECT_LT(largest(to_eigen(laplacian(Sheaf::trivial(graph, 0.1))) -
                        factor * testing::magnetic_laplacian(adjacency(input), 0.1)),
                kTolerance);
    }
  }
  // 0 -> 1 and 1 <-> 2: no factor works, but the weighted sheaf does.
  const RandomArcs mixed = {3, {{0, 1}, {1, 2}, {2, 1}}, {}};
  const DirectedGraph graph = mixed.graph();
  const Dense trivial = to_eigen(laplacian(Sheaf::trivial(graph, 0.1)));
  const Dense magnetic = testing::magnetic_laplacian(adjacency(mixed), 0.1);
  EXPECT_GT(std::abs(trivial(0, 0) / magnetic(0, 0) - trivial(2, 2) / magnetic(2, 2)), 0.9);
  EXPECT_LT(largest(to_eigen(laplacian(Sheaf::magnetic(graph, 0.1))) - magnetic), kTolerance);
}

TEST(PaperNotes, IncidenceMatrixHasTheSameFactors) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const RandomArcs input = random_arcs(seed, GraphKind::kOneWay);
    const DirectedGraph graph = input.graph();
    const Dense b = to_eigen(coboundary(Sheaf::trivial(graph, 0.25))).adjoint();
    const Dense expected = 2 * testing::sign_magnetic_laplacian(adjacency(input));
    EXPECT_LT(largest(b * b.adjoint() - expected), kTolerance);
  }
}

TEST(PaperNotes, ChargesRepeat) {
  testing::for_each_case(4, [](const testing::Case& c) {
    if (c.options.field != MapField::kPhase || !c.input.weights.empty()) return;
    const auto with_charge = [&](double q) {
      SheafOptions options = c.options;
      options.charge = q;
      return to_eigen(laplacian(random_sheaf(c.graph, options, c.seed)));
    };
    const double q = c.options.charge;
    const Dense l = with_charge(q);
    EXPECT_LT(largest(with_charge(q + 1) - l), kTolerance) << c.name;
    EXPECT_LT(largest(with_charge(1 - q) - l.conjugate()), kTolerance) << c.name;
    EXPECT_LT(
        (testing::eigenvalues(with_charge(1 - q)) - testing::eigenvalues(l)).cwiseAbs().maxCoeff(),
        1e-9);
    EXPECT_EQ(largest(with_charge(0.5).imag().cast<Complex>()), 0) << c.name;
  });
}

TEST(PaperNotes, SignedMagneticLaplacianNeedsAbsoluteDegrees) {
  const RandomArcs negative = {2, {{0, 1}, {1, 0}}, {-1, -1}};
  const DirectedGraph graph = negative.graph();
  const Dense printed = testing::magnetic_laplacian(adjacency(negative), 0.1, false);
  EXPECT_LT(testing::eigenvalues(printed)[0], -1.9);  // not positive semidefinite
  EXPECT_GE(testing::eigenvalues(to_eigen(laplacian(Sheaf::magnetic(graph, 0.1))))[0], -kTolerance);
  for (std::uint64_t seed = 0; seed < 50; ++seed) {  // the same without negative weights
    const auto a = adjacency(random_arcs(seed, GraphKind::kWeighted));
    EXPECT_LT(
        largest(testing::magnetic_laplacian(a, 0.1, false) - testing::magnetic_laplacian(a, 0.1)),
        kTolerance);
  }
}

/// The nodes of the largest component, directions ignored.
std::vector<bool> largest_weak_component(const DirectedGraph& graph) {
  std::vector<bool> best;
  std::vector<bool> seen(static_cast<std::size_t>(graph.num_nodes()), false);
  std::ptrdiff_t best_size = 0;
  for (NodeId root = 0; root < graph.num_nodes(); ++root) {
    if (seen[static_cast<std::size_t>(root)]) continue;
    std::vector<bool> component(seen.size(), false);
    std::vector<NodeId> open = {root};
    component[static_cast<std::size_t>(root)] = true;
    while (!open.empty()) {
      const NodeId u = open.back();
      open.pop_back();
      seen[static_cast<std::size_t>(u)] = true;
      for (HalfEdgeId h = graph.row_begin(u); h < graph.row_end(u); ++h) {
        const auto v = static_cast<std::size_t>(graph.neighbour(h));
        if (!component[v]) open.push_back(graph.neighbour(h));
        component[v] = true;
      }
    }
    const auto size = std::count(component.begin(), component.end(), true);
    if (size > best_size) {
      best_size = size;
      best = component;
    }
  }
  return best;
}

/// The published data, if present in $DSNN_DATA.
class PaperData : public ::testing::Test {
 protected:
  static Dataset load(const std::string& name) {
    return read_dataset(std::filesystem::path(std::getenv("DSNN_DATA")) / (name + ".npz"));
  }
  void SetUp() override {
    const char* folder = std::getenv("DSNN_DATA");
    if (folder == nullptr || !std::filesystem::exists(std::filesystem::path(folder) / "cora.npz")) {
      GTEST_SKIP() << "needs the benchmark graphs in $DSNN_DATA";
    }
  }
};

TEST_F(PaperData, PubmedHas19717Nodes) { EXPECT_EQ(load("pubmed").graph.num_nodes(), 19717); }

TEST_F(PaperData, FilteredGraphsListEachEdgeOnce) {
  for (const std::string name : {"squirrel_filtered", "chameleon_filtered"}) {
    const Dataset listed = load(name);
    EXPECT_EQ(num_two_way_edges(listed.graph), 0);
    for (const Arc& arc : listed.graph.arcs()) ASSERT_LT(arc.source, arc.target);
    const Dataset directed = load(name + "_directed");
    EXPECT_GT(reciprocity(directed.graph), 0.5);
    EXPECT_EQ(directed.graph.num_edges(), listed.graph.num_edges());
  }
}

TEST_F(PaperData, CornellIsTexas) {
  const Dataset cornell = load("cornell");
  const Dataset texas = load("texas");
  const Dataset corrected = load("cornell_corrected");
  EXPECT_EQ(cornell.features, texas.features);
  EXPECT_EQ(cornell.labels, texas.labels);
  EXPECT_NE(corrected.features, texas.features);
  EXPECT_NE(corrected.labels, texas.labels);
  EXPECT_EQ(corrected.graph.num_arcs(), cornell.graph.num_arcs());
  EXPECT_NE(texas.graph.num_arcs(), cornell.graph.num_arcs());
}

TEST_F(PaperData, CiteseerSplitLosesAClass) {
  const auto classes_in_test = [](const Dataset& dataset) {
    std::map<std::int64_t, int> counts;
    for (const Split& split : dataset.splits) {
      for (std::size_t u = 0; u < split.test.size(); ++u) {
        if (split.test[u] != 0 || split.validation[u] != 0) ++counts[dataset.labels[u]];
      }
    }
    return counts.size();
  };
  EXPECT_EQ(classes_in_test(load("citeseer_repo_split")), 5U);
  EXPECT_EQ(classes_in_test(load("citeseer")), 6U);
}

TEST_F(PaperData, CoraMasksMeetAnotherOrder) {
  const Dataset cora = load("cora");
  const Dataset repo = load("cora_repo_order");
  EXPECT_EQ(cora.graph.num_arcs(), repo.graph.num_arcs());
  ASSERT_EQ(cora.splits.size(), repo.splits.size());
  EXPECT_EQ(cora.splits[0].train, repo.splits[0].train);  // the same masks,
  EXPECT_NE(cora.labels, repo.labels);                    // other nodes under them
  // The same graph: as many nodes with each label size, in- and out-degree.
  const auto profile = [](const Dataset& dataset) {
    std::map<std::int64_t, int> sizes;
    for (const std::int64_t label : dataset.labels) ++sizes[label];
    std::vector<std::array<int, 3>> nodes;
    for (NodeId u = 0; u < dataset.graph.num_nodes(); ++u) {
      nodes.push_back({sizes[dataset.labels[static_cast<std::size_t>(u)]],
                       dataset.graph.out_degree(u), dataset.graph.in_degree(u)});
    }
    return nodes;
  };
  std::vector<std::array<int, 3>> a = profile(cora);
  std::vector<std::array<int, 3>> b = profile(repo);
  EXPECT_NE(a, b);
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  EXPECT_EQ(a, b);
  // The masks were made for exactly the largest component; in the other order they miss it.
  const auto masked_outside_largest = [](const Dataset& dataset) {
    const std::vector<bool> is_largest = largest_weak_component(dataset.graph);
    const Split& split = dataset.splits[0];
    int count = 0;
    for (std::size_t u = 0; u < is_largest.size(); ++u) {
      const bool is_masked = split.train[u] + split.validation[u] + split.test[u] > 0;
      count += is_masked != is_largest[u] ? 1 : 0;
    }
    return count;
  };
  EXPECT_EQ(masked_outside_largest(cora), 0);
  EXPECT_GT(masked_outside_largest(repo), 100);
}

}  // namespace
}  // namespace dsnn
