#include "dsnn/data/features.h"
#include "dsnn/nn/model.h"

#include "nn/plain_sheaf_network.h"
#include "nn/sheaf_cases.h"
#include "support/expect_error.h"
#include "support/random_graphs.h"
#include "support/run_model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace dsnn {
namespace {

using namespace testing;

void expect_like_plain(const Kind& kind, const Case& graph,
                       const std::vector<std::string>& settings) {
  const Config config = config_of(kind.name, settings);
  const auto model = nn::make_model(kind.name, config, {kFeatures, kClasses}, 3);
  shake(*model, 5);
  const PlainSheafNetwork plain = {kind.family,        kind.field, graph.graph, config,
                                   numbers_of(*model), kFeatures,  kClasses};
  const Numbers expected = plain.logits(graph.numbers());
  ModelRun<double> run(*model, graph.input());
  ASSERT_EQ(run.shape(), (engine::Shape{7, kClasses}));
  EXPECT_LT(relative_error(run.logits(), expected), 1e-9)
      << kind.name << " " << fmt::format("{}", fmt::join(settings, " "));
}

TEST(SheafNetwork, IsThePlainOne) {
  const std::vector<std::vector<std::string>> settings = {
      {},
      {"layers=3", "stalk_dim=2", "low_pass=yes"},
      {"layers=1", "stalk_dim=4", "high_pass=yes", "low_pass=yes", "input_act=none"},
      {"left_weights=no", "right_weights=no", "sheaf_act=elu", "activation=elu"},
      {"separate_imag_weights=yes", "learner=pooled", "imag_init=copy"},
      {"edge_weights=yes", "share_sheaf=yes", "layers=3", "second_linear=yes"},
      {"edge_weights=no", "diagonal=drop", "sheaf_act=identity", "input_act=relu"},
      {"stalk_dim=1", "activation=none", "sheaf_act=relu"},
      {"stalk_dim=1", "edge_weights=no"},
      {"maps=random", "layers=3", "high_pass=yes"},
      {"maps=identity", "low_pass=no", "layers=3"},
      {"maps=identity", "low_pass=yes", "high_pass=yes", "diagonal=keep", "activation=relu"},
      {"maps=identity", "diagonal=drop", "imag_init=copy", "order=3"},
      {"order=2", "diagonal=keep", "stalk_dim=2"},
      {"order=4", "diagonal=drop", "share_sheaf=yes", "high_pass=yes", "activation=elu"}};
  std::uint64_t seed = 0;
  for (const Kind& kind : kKinds) {
    for (const auto& setting : settings) {
      ++seed;
      expect_like_plain(kind, Case(seed, seed % 2 == 0), setting);
    }
  }
  for (const char* normalise : {"normalise=exact", "normalise=degree"}) {
    for (const Kind& kind : kKinds) {
      // Maps away from zero, where the exact normalisation is well conditioned.
      expect_like_plain(kind, Case(++seed), {normalise, "stalk_dim=2", "edge_weights=no"});
      expect_like_plain(kind, Case(++seed), {normalise, "maps=identity", "low_pass=yes"});
    }
  }
  for (const char* q : {"q=0", "q=0.1", "q=-0.3", "q=learn"}) {
    for (const Kind& kind : kKinds) {
      if (kind.field == MapField::kPhase) expect_like_plain(kind, Case(++seed), {q});
    }
  }
}

TEST(SheafNetwork, GradientsByCentralDifferences) {
  std::uint64_t seed = 40;
  const std::vector<std::vector<std::string>> extra = {
      {}, {"maps=identity"}, {"maps=identity", "order=3", "diagonal=keep"}, {"order=2"}};
  for (const Kind& kind : kKinds) {
    for (const auto& more : extra) {
      const Case graph(++seed);
      std::vector<std::string> settings = {"stalk_dim=2", "low_pass=yes", "edge_weights=yes",
                                           "second_linear=yes", "activation=elu"};
      if (kind.field == MapField::kPhase) settings.push_back("q=learn");
      settings.insert(settings.end(), more.begin(), more.end());
      const Config config = config_of(kind.name, settings);
      const auto model = nn::make_model(kind.name, config, {kFeatures, kClasses}, seed);
      shake(*model, seed);
      ModelRun<double> run(*model, graph.input(),
                           {.is_training = true, .factors = random_numbers(7 * kClasses, seed)});
      constexpr std::uint64_t kPassSeed = 9;
      const Numbers gradients = run.gradients(kPassSeed);
      double worst = 0, largest = 0;
      for (std::size_t i = 0; i < gradients.size(); ++i) {
        constexpr double kStep = 1e-5;
        double& number = run.weights()[i];
        const double before = number;
        number = before + kStep;
        const double above = run.loss(kPassSeed);
        number = before - kStep;
        const double below = run.loss(kPassSeed);
        number = before;
        const double slope = (above - below) / (2 * kStep);
        worst = std::max(worst, std::abs(slope - gradients[i]));
        largest = std::max(largest, std::abs(gradients[i]));
      }
      EXPECT_LT(worst / largest, 1e-6)
          << kind.name << " " << fmt::format("{}", fmt::join(more, " "));
    }
  }
}

TEST(SheafNetwork, CountsItsWeights) {
  const auto count = [](const char* name, const std::vector<std::string>& settings) {
    return nn::make_model(name, config_of(name, settings), {kFeatures, kClasses}, 0)->num_weights();
  };
  // d = 2, f = 3, P planes: input 4*6 + 6; a layer P*6*2k + 2*2 + 3*3 + 2; output P*6*3 + 3.
  const std::vector<std::string> small = {"stalk_dim=2", "layers=1", "edge_weights=no",
                                          "high_pass=no", "low_pass=no"};
  EXPECT_EQ(count("diag-nsd", small), 30 + 6 * 4 + 15 + 21);
  EXPECT_EQ(count("diag-dsnn", small), 30 + 12 * 4 + 15 + 39);
  EXPECT_EQ(count("gen-dsnn", small), 30 + 12 * 8 + 15 + 39);
  EXPECT_EQ(count("orth-dsnn", small), 30 + 12 * 2 + 15 + 39);
  EXPECT_EQ(count("gen-nsd-compl", small), 30 + 12 * 16 + 15 + 39);
  EXPECT_EQ(count("diag-dsnn", {"stalk_dim=2", "layers=1", "high_pass=no", "q=learn"}),
            30 + 12 * 4 + 15 + 39 + 1);
}

// With q = 0, an imaginary plane of zeros and the same real weights.
TEST(SheafNetwork, WithoutChargeIsNsd) {
  for (const std::string family : {"diag", "orth", "gen"}) {
    const Case graph(77);
    const auto directed = nn::make_model(
        family + "-dsnn", config_of(family + "-dsnn", paper_layer_and({"layers=2", "q=0"})),
        {kFeatures, kClasses}, 1);
    const auto undirected =
        nn::make_model(family + "-nsd", config_of(family + "-nsd", paper_layer_and({"layers=2"})),
                       {kFeatures, kClasses}, 2);
    shake(*undirected, 3);
    const std::map<std::string, Numbers> real = numbers_of(*undirected);
    for (const engine::Weight& weight : directed->weights().all()) {
      // The real plane comes first; the imaginary one, if present, may be anything.
      const Numbers& from = real.at(weight.name);
      const auto size = static_cast<std::size_t>(engine::num_numbers(weight.shape));
      ASSERT_TRUE(size == from.size() || size == 2 * from.size()) << weight.name;
      std::ranges::copy(from, directed->weights().initial().begin() + weight.offset);
    }
    EXPECT_LT(
        relative_error(evaluate(*directed, graph.input()), evaluate(*undirected, graph.input())),
        1e-12)
        << family;
  }
}

TEST(SheafNetwork, RelabellingTheNodesPermutesTheOutput) {
  std::uint64_t seed = 100;
  for (const Kind& kind : kKinds) {
    const Case graph(++seed);
    Random random(seed);
    std::vector<std::int64_t> order = {0, 1, 2, 3, 4, 5, 6};
    random.shuffle(order);
    Case other = graph;
    std::vector<Arc> arcs;
    for (const Arc& arc : graph.graph.arcs()) {
      arcs.push_back(
          {static_cast<NodeId>(order[arc.source]), static_cast<NodeId>(order[arc.target])});
    }
    other.graph = DirectedGraph::from_arcs(7, arcs);
    for (std::int64_t u = 0; u < 7; ++u) {
      std::copy_n(graph.features.values.begin() + u * kFeatures, kFeatures,
                  other.features.values.begin() + order[u] * kFeatures);
    }
    for (const char* maps : {"maps=learned", "maps=random", "maps=identity"}) {
      const auto model = nn::make_model(kind.name, config_of(kind.name, {maps, "order=2"}),
                                        {kFeatures, kClasses}, 4);
      shake(*model, 6);
      const Numbers logits = evaluate(*model, graph.input());
      const Numbers permuted = evaluate(*model, other.input());
      EXPECT_LT(relative_error(testing::rows_at(permuted, order, kClasses), logits), 1e-10)
          << kind.name << " " << maps;
    }
  }
}

TEST(SheafNetwork, ReversingAllArcsConjugatesALayer) {
  for (const char* name : {"diag-dsnn", "orth-dsnn", "gen-dsnn"}) {
    const Case graph(55);
    Case reversed = graph;
    reversed.graph = graph.graph.reversed();
    const auto model = nn::make_model(name, config_of(name, paper_layer_and({"layers=1", "q=0.2"})),
                                      {kFeatures, kClasses}, 4);
    shake(*model, 8);
    /// Real and imaginary parts.
    const auto layer = [&](const Case& which) {
      const Numbers x = ModelRun<double>(*model, which.input()).part("layer 1");
      const auto middle = x.begin() + std::ssize(x) / 2;
      return std::pair(Numbers(x.begin(), middle), Numbers(middle, x.end()));
    };
    const auto [real, imag] = layer(graph);
    auto [reversed_real, reversed_imag] = layer(reversed);
    for (double& x : reversed_imag) x = -x;
    EXPECT_LT(relative_error(reversed_real, real), 1e-12);
    EXPECT_LT(relative_error(reversed_imag, imag), 1e-12);
    EXPECT_GT(std::ranges::max(imag, {}, [](double x) { return std::abs(x); }), 1e-3) << name;
  }
}

// Reversing some arcs changes DSNN's output, but not a bit of NSD's and NSD-Compl's.
TEST(SheafNetwork, WithoutAPhaseArcsHaveNoDirection) {
  for (const Kind& kind : kKinds) {
    const Case graph(56);
    Case turned = graph;
    std::vector<Arc> arcs = graph.graph.arcs();
    for (std::size_t i = 0; i < arcs.size(); i += 2) std::swap(arcs[i].source, arcs[i].target);
    turned.graph = DirectedGraph::from_arcs(graph.graph.num_nodes(), arcs);
    ASSERT_EQ(turned.graph.num_half_edges(), graph.graph.num_half_edges());
    for (const char* maps : {"maps=learned", "maps=random", "maps=identity"}) {
      const auto model = nn::make_model(kind.name, config_of(kind.name, {maps, "order=2"}),
                                        {kFeatures, kClasses}, 4);
      shake(*model, 6);
      const double change =
          relative_error(evaluate(*model, turned.input()), evaluate(*model, graph.input()));
      if (kind.field == MapField::kPhase) {
        EXPECT_GT(change, 1e-3) << kind.name << " " << maps;
      } else {
        EXPECT_EQ(change, 0) << kind.name << " " << maps;
      }
    }
  }
}

TEST(SheafNetwork, DropoutIsAFunctionOfTheSeed) {
  const Case graph(9);
  const auto model = nn::make_model(
      "diag-dsnn", config_of("diag-dsnn", {"input_dropout=0.3", "embed_dropout=0.3"}),
      {kFeatures, kClasses}, 4);
  const nn::Input input = graph.input();
  ModelRun<double> training(*model, input, {.is_training = true}), evaluation(*model, input);
  EXPECT_EQ(training.logits(1), training.logits(1));
  EXPECT_NE(training.logits(1), training.logits(2));
  EXPECT_EQ(evaluation.logits(1), evaluation.logits(2));
}

TEST(SheafNetwork, TheSameSeedMakesTheSameModel) {
  const auto values = [](std::uint64_t seed) {
    return nn::make_model("gen-dsnn", config_of("gen-dsnn", {}), {kFeatures, kClasses}, seed)
        ->weights()
        .initial();
  };
  EXPECT_EQ(values(1), values(1));
  EXPECT_NE(values(1), values(2));
}

TEST(ModelRegistry, RefusesWrongNamesAndValues) {
  testing::expect_error(
      [] { nn::find_model("diag-dsn"); },
      "unknown model 'diag-dsn'; did you mean 'diag-dsnn'? ('dsnn models' lists all)");
  Config config(nn::find_model("diag-dsnn").parameters);
  const auto expect = [&](const std::string& setting, const std::string& sentence) {
    testing::expect_error([&] { config.set_text(setting); }, sentence);
  };
  expect("layer=3", "unknown parameter 'layer'; did you mean 'layers'?");
  expect("zzz=3", "unknown parameter 'zzz'");
  expect("layers", "invalid setting 'layers', expected key=value");
  expect("layers=0", "layers is 0, expected an integer from 1 to 1000");
  expect("layers=2.5", "layers is 2.5, expected an integer from 1 to 1000");
  expect("layers=many", "layers is many, expected an integer from 1 to 1000");
  expect("dropout=1", "dropout is 1, expected a number from 0 to 0.99");
  expect("dropout=nan", "dropout is nan, expected a number from 0 to 0.99");
  expect("low_pass=maybe", "low_pass is maybe, expected true or false");
  expect("sheaf_act=tan",
         "sheaf_act is tan, expected one of identity, tanh, elu, relu; did you mean 'tanh'?");
  expect("q=lern", "q is lern, expected a number, or learn; did you mean 'learn'?");
  config.set_text("q=learn");
  EXPECT_TRUE(config.is_word("q"));
  config.set_text("q=1");
  EXPECT_EQ(config.number("q"), 1);
  testing::expect_error(
      [] {
        const Config euler = config_of("orth-dsnn", {"orth_map=euler", "stalk_dim=4"});
        nn::make_model("orth-dsnn", euler, {kFeatures, kClasses}, 0);
      },
      "stalk_dim is 4, expected 1 to 3 with orth_map euler");
}

}  // namespace
}  // namespace dsnn
