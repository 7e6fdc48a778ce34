#include "support/random_sheaves.h"
#include "torch/sheaf_diffusion_cases.h"
#include "torch/torch_operators.h"

#include <gtest/gtest.h>

#include <limits>

namespace dsnn {
namespace {

using testing::DiffusionCase;
using testing::make_diffusion_case;
using testing::relative_error;

constexpr double kDoubleTolerance = 1e-12;
constexpr double kFloatTolerance = 1e-5;

void expect_reference(const DiffusionCase& c, const std::string& name) {
  const bool is_general = c.options.family == MapFamily::kGeneral;
  const double limit = is_general ? 10 * std::numeric_limits<double>::epsilon() * c.condition() : 0;
  for (const Normalisation normalisation : testing::all_normalisations()) {
    const std::string what =
        name + ", normalisation " + std::to_string(static_cast<int>(normalisation));
    const double allowed = normalisation == Normalisation::kExact ? limit : 0;
    EXPECT_LT(relative_error(c.apply(normalisation), c.reference(normalisation)),
              std::max(kDoubleTolerance, allowed))
        << what;
    EXPECT_LT(
        relative_error(c.apply(normalisation, at::kFloat), c.reference(normalisation, at::kFloat)),
        std::max(kFloatTolerance, allowed))
        << what << ", single precision";
  }
}

TEST(SheafDiffusion, IsTheReferenceOnRandomGraphs) {
  testing::for_each_case(3, [](const testing::Case& random) {
    const std::int64_t planes = random.options.field == MapField::kReal ? 1 + random.seed % 2 : 2;
    const std::int64_t channels = 1 + static_cast<std::int64_t>(random.seed * 7 % 11);
    const bool has_weights = random.seed % 2 == 1;
    expect_reference(make_diffusion_case(random.graph, random.options, planes, channels,
                                         has_weights, random.seed),
                     random.name);
  });
}

TEST(SheafDiffusion, IsTheReferenceForEveryDimensionAndNumberOfChannels) {
  const DirectedGraph graph = testing::random_arcs(5, testing::GraphKind::kSigned, 30).graph();
  std::uint64_t seed = 0;
  for (const std::int64_t channels : {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 64, 130}) {
    for (int d = 1; d <= 10; ++d) {
      const auto family = static_cast<MapFamily>(seed % 3);
      const auto field = static_cast<MapField>(seed / 3 % 3);
      SheafOptions options{family, field, d, field == MapField::kPhase ? 0.37 : 0, {}};
      options.fixed.low_pass = seed % 5 == 0;
      options.fixed.high_pass = seed % 7 == 0;
      expect_reference(make_diffusion_case(graph, options, 2, channels, seed % 2 == 0, seed),
                       "d " + std::to_string(d) + ", channels " + std::to_string(channels) +
                           ", seed " + std::to_string(seed));
      ++seed;
    }
  }
}

TEST(SheafDiffusion, IsTheReferenceForAnyCharge) {
  const DirectedGraph graph = testing::random_arcs(11, testing::GraphKind::kMixed, 30).graph();
  for (const double charge : {0.0, 0.25, 0.5, 0.75, 1.0, -0.1, 1e-9, 123.456, -7.25}) {
    const SheafOptions options{MapFamily::kGeneral, MapField::kPhase, 3, charge, {}};
    expect_reference(make_diffusion_case(graph, options, 2, 5, false, 1),
                     "charge " + std::to_string(charge));
  }
}

TEST(SheafDiffusion, IsTheReferenceOnAStarOfDegree100000) {
  std::vector<Arc> arcs;
  for (NodeId leaf = 1; leaf <= 100000; ++leaf) {
    arcs.push_back(leaf % 3 == 0 ? Arc{0, leaf} : Arc{leaf, 0});
    if (leaf % 5 == 0) arcs.push_back({0, leaf});
  }
  const DirectedGraph graph = DirectedGraph::from_arcs(100003, arcs);  // and isolated nodes
  for (const MapFamily family :
       {MapFamily::kDiagonal, MapFamily::kOrthogonal, MapFamily::kGeneral}) {
    const SheafOptions options{family, MapField::kPhase, 2, 0.2, {}};
    expect_reference(make_diffusion_case(graph, options, 2, 3, false, 1),
                     "family " + std::to_string(static_cast<int>(family)));
  }
}

TEST(SheafDiffusion, GraphsWithoutNodesOrEdgesHaveNothingToDo) {
  for (const NodeId n : {0, 1, 5}) {
    const DirectedGraph graph = DirectedGraph::from_arcs(n, {});
    const SheafOptions options{MapFamily::kGeneral, MapField::kPhase, 3, 0.25, {}};
    const DiffusionCase c = make_diffusion_case(graph, options, 2, 4, true, 1);
    for (const Normalisation normalisation : testing::all_normalisations()) {
      const at::Tensor y = c.apply(normalisation);
      EXPECT_EQ(y.sizes(), c.x.sizes());
      EXPECT_EQ(y.abs().sum().item<double>(), 0);
    }
  }
}

TEST(SheafDiffusion, FeaturesWithoutChannelsHaveNothingToDo) {
  const DirectedGraph graph = testing::random_arcs(3, testing::GraphKind::kMixed, 30).graph();
  const SheafOptions options{MapFamily::kGeneral, MapField::kPhase, 3, 0.25, {}};
  const DiffusionCase c = make_diffusion_case(graph, options, 2, 0, false, 1);
  const std::vector<at::Tensor> gradients = testing::gradients(
      [&](const auto& in) {
        return ops::sheaf_diffusion(in[0], in[1], {}, c.charge, ops::Graph(graph),
                                    c.diffusion_options(Normalisation::kAugmented));
      },
      {c.x, c.maps});
  EXPECT_EQ(gradients[0].sizes(), c.x.sizes());
  EXPECT_EQ(gradients[1].abs().sum().item<double>(), 0);
}

TEST(SheafDiffusion, TheSameBitsForAnyNumberOfThreads) {
  std::vector<Arc> arcs;
  Random random(1);
  constexpr NodeId kNodes = 3000;
  for (int i = 0; i < 20000; ++i) {
    const auto node = [&] { return static_cast<NodeId>(random.below(kNodes)); };
    // Half of the arcs end at a few hubs.
    arcs.push_back({node(), i % 2 == 0 ? node() : static_cast<NodeId>(random.below(5))});
  }
  const DirectedGraph graph = DirectedGraph::from_arcs(kNodes, arcs);
  const int threads_before = testing::test_threads();
  for (const MapFamily family :
       {MapFamily::kDiagonal, MapFamily::kOrthogonal, MapFamily::kGeneral}) {
    for (const MapField field : {MapField::kPhase, MapField::kComplex}) {
      const SheafOptions options{family, field, 3, field == MapField::kPhase ? 0.2 : 0, {}};
      const DiffusionCase c = make_diffusion_case(graph, options, 2, 9, true, 1);
      std::vector<std::vector<at::Tensor>> results;
      for (const int threads : {1, 2, 3, 8, 1, 2}) {
        testing::set_test_threads(threads);
        std::vector<at::Tensor> inputs = {c.x.to(at::kFloat), c.maps.to(at::kFloat),
                                          c.weights.to(at::kFloat)};
        if (c.charge.defined()) inputs.push_back(c.charge.to(at::kFloat));
        const auto function = [&](const std::vector<at::Tensor>& in) {
          return ops::sheaf_diffusion(in[0], in[1], in[2], in.size() > 3 ? in[3] : at::Tensor(),
                                      ops::Graph(graph),
                                      c.diffusion_options(Normalisation::kAugmented));
        };
        std::vector<at::Tensor> all = testing::gradients(function, inputs);
        all.push_back(function(inputs));
        for (std::size_t i = 0; i < all.size() && !results.empty(); ++i) {
          EXPECT_TRUE(all[i].equal(results[0][i])) << threads << " threads, result " << i;
        }
        results.push_back(all);
      }
    }
  }
  testing::set_test_threads(threads_before);
}

}  // namespace
}  // namespace dsnn
