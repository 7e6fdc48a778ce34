#include "report/learned_sheaf.h"

#include "dsnn/train/train.h"

#include "nn/sheaf/parts.h"
#include "support/communities.h"
#include "support/test_files.h"
#include "util/index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <map>
#include <numbers>
#include <numeric>

namespace dsnn {
namespace {

using testing::communities;
using testing::options_of;
using testing::TempDir;

class LearnedSheafTest : public ::testing::Test {
 protected:
  dsnn::Run trained(const Dataset& dataset, const std::string& model,
                    const std::vector<std::string>& settings) {
    TrainOptions options = options_of(settings, model);
    options.config.set_text("epochs=3");
    options.splits = {0};
    options.folder = dir_ / model;
    train(dataset, options);
    return dsnn::Run(options.folder);
  }

  TempDir dir_;
};

/// An entry of [P, a, b, c]; 0 for an imaginary part that is not there.
std::complex<double> entry(const NetworkParts::Part& part, std::size_t i, std::size_t j,
                           std::size_t k) {
  const std::size_t place = (i * at(part.shape[2]) + j) * at(part.shape[3]) + k;
  const std::size_t plane = at(part.shape[1] * part.shape[2] * part.shape[3]);
  return {part.numbers[place], part.shape[0] == 2 ? part.numbers[plane + place] : 0.0};
}

/// |F_h x_u - T_h F_h' x_v| of all edges from its definition, F with the learned edge weights, by
/// the nodes of the dataset; a two-way edge by its smaller node first.
std::map<std::pair<NodeId, NodeId>, double> plain_disagreements(const NetworkParts& parts,
                                                                std::size_t layer, double charge) {
  const NetworkParts::Part& maps = parts.parts.at(nn::maps_of_layer(layer));
  const NetworkParts::Part& x = parts.parts.at(nn::features_of_layer(layer - 1));
  const std::size_t d = at(maps.shape[2]);
  const bool is_diagonal = maps.shape[3] == 1;
  const auto weights = parts.parts.find(nn::edge_weights_of_layer(layer));
  const auto image = [&](HalfEdgeId h, NodeId u, std::size_t i, std::size_t c) {
    const double weight = weights == parts.parts.end() ? 1 : weights->second.numbers[at(h)];
    if (is_diagonal) return weight * entry(maps, at(h), i, 0) * entry(x, at(u), i, c);
    std::complex<double> sum = 0;
    for (std::size_t j = 0; j < d; ++j) sum += entry(maps, at(h), i, j) * entry(x, at(u), j, c);
    return weight * sum;
  };
  std::map<std::pair<NodeId, NodeId>, double> result;
  HalfEdgeId h = 0;
  for (NodeId u = 0; u < parts.graph.num_nodes(); ++u) {
    for (std::int64_t i = 0; i < parts.graph.degree(u); ++i, ++h) {
      const HalfEdgeId back = parts.graph.reverse(h);
      const NodeId v = parts.graph.neighbour(h);
      const bool is_there = parts.graph.has_arc(h), is_back = parts.graph.has_arc(back);
      if (!is_there || (is_back && u > v)) continue;
      const double angle = is_back ? 0 : 2 * std::numbers::pi * charge;
      double square = 0;
      for (std::size_t k = 0; k < d; ++k) {
        for (std::size_t c = 0; c < at(x.shape[3]); ++c) {
          square += std::norm(image(h, u, k, c) - std::polar(1.0, angle) * image(back, v, k, c));
        }
      }
      result[{parts.nodes[at(u)], parts.nodes[at(v)]}] = std::sqrt(square);
    }
  }
  return result;
}

TEST_F(LearnedSheafTest, EdgesThatDisagreeAreThoseOfTheDefinition) {
  const Dataset dataset = communities();
  struct Kind {
    const char* model;
    std::vector<std::string> settings;
    double charge;
  };
  for (const Kind& kind :
       std::vector<Kind>{{"diag-dsnn", {"q=0.2"}, 0.2},
                         {"orth-dsnn", {"layers=3", "low_pass=true", "q=0.25"}, 0.25},
                         {"gen-dsnn", {"edge_weights=true", "q=0.1"}, 0.1},
                         {"gen-nsd-compl", {}, 0},
                         {"diag-nsd", {"high_pass=true"}, 0}}) {
    SCOPED_TRACE(kind.model);
    const dsnn::Run run = trained(dataset, kind.model, kind.settings);
    const auto layer = at(run.config().integer("layers"));
    const NetworkParts parts =
        run.parts(0, dataset,
                  {nn::maps_of_layer(layer), nn::edge_weights_of_layer(layer),
                   nn::features_of_layer(layer - 1)});
    const auto expected = plain_disagreements(parts, layer, kind.charge);
    const auto sheaf = learned_sheaf(run, 0, dataset, 25);
    ASSERT_TRUE(sheaf);
    ASSERT_EQ(std::ssize(expected), dataset.graph.num_edges());
    std::vector<double> sorted;
    for (const auto& [edge, disagreement] : expected) sorted.push_back(disagreement);
    std::ranges::sort(sorted, std::ranges::greater());
    ASSERT_EQ(sheaf->edges.size(), 25U);
    for (std::size_t i = 0; i < sheaf->edges.size(); ++i) {
      const LearnedSheaf::Edge& edge = sheaf->edges[i];
      const double tolerance = 1e-5 * (1 + sorted[0]);
      EXPECT_NEAR(edge.disagreement, sorted[i], tolerance);
      const auto found = expected.find({edge.source, edge.target});
      const auto turned = expected.find({edge.target, edge.source});
      ASSERT_TRUE(found != expected.end() || (edge.is_two_way && turned != expected.end()));
      EXPECT_NEAR(edge.disagreement, (found != expected.end() ? found : turned)->second, tolerance);
    }
    EXPECT_NEAR(sheaf->median_disagreement, sorted[sorted.size() / 2], 1e-5 * (1 + sorted[0]));
  }
}

TEST_F(LearnedSheafTest, HistogramsHaveAllEntries) {
  const Dataset dataset = communities();
  const dsnn::Run run = trained(dataset, "orth-dsnn", {"stalk_dim=2", "layers=2", "q=0.25"});
  const auto sheaf = learned_sheaf(run, 0, dataset, 5);
  ASSERT_TRUE(sheaf);
  ASSERT_EQ(sheaf->histograms.size(), 2U);
  for (std::size_t layer = 1; layer <= 2; ++layer) {
    const std::vector<std::int64_t>& counts = sheaf->histograms[layer - 1].counts;
    const auto parts = run.parts(0, dataset, {nn::maps_of_layer(layer)}).parts;
    const std::vector<float>& entries = parts.at(nn::maps_of_layer(layer)).numbers;
    EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), std::int64_t{0}), std::ssize(entries));
    const double middle = (sheaf->from + sheaf->to) / 2;
    EXPECT_EQ(std::accumulate(counts.begin(), counts.begin() + std::ssize(counts) / 2, 0L),
              std::ranges::count_if(entries, [&](float entry) { return entry < middle; }));
  }
  EXPECT_EQ(sheaf->charge, 0.25);
  EXPECT_EQ(learned_sheaf(trained(dataset, "orth-nsd", {"share_sheaf=true"}), 0, dataset, 5)
                ->histograms.size(),
            1U);
}

TEST_F(LearnedSheafTest, OthersHaveNone) {
  const Dataset dataset = communities();
  EXPECT_FALSE(learned_sheaf(trained(dataset, "gcn", {}), 0, dataset, 5));
}

}  // namespace
}  // namespace dsnn
