#include "dsnn/data/features.h"
#include "dsnn/nn/model.h"
#include "dsnn/util/error.h"

#include "nn/plain_sheaf_network.h"
#include "nn/weights.h"
#include "support/expect_error.h"
#include "support/gradient_check.h"
#include "support/random_graphs.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

namespace dsnn {
namespace {

using testing::Numbers;
using testing::PlainSheafNetwork;

struct Kind {
  const char* name;
  MapFamily family;
  MapField field;
};
constexpr Kind kKinds[] = {{"diag-dsnn", MapFamily::kDiagonal, MapField::kPhase},
                           {"orth-dsnn", MapFamily::kOrthogonal, MapField::kPhase},
                           {"gen-dsnn", MapFamily::kGeneral, MapField::kPhase},
                           {"diag-nsd", MapFamily::kDiagonal, MapField::kReal},
                           {"orth-nsd", MapFamily::kOrthogonal, MapField::kReal},
                           {"gen-nsd", MapFamily::kGeneral, MapField::kReal},
                           {"diag-nsd-compl", MapFamily::kDiagonal, MapField::kComplex},
                           {"orth-nsd-compl", MapFamily::kOrthogonal, MapField::kComplex},
                           {"gen-nsd-compl", MapFamily::kGeneral, MapField::kComplex}};

constexpr std::int64_t kFeatures = 4, kClasses = 3;

/// A graph of a few nodes, with features that are dense or sparse.
struct Case {
  DirectedGraph graph;
  Features features;

  explicit Case(std::uint64_t seed, bool is_sparse = false) {
    Random random(seed);
    testing::RandomArcs arcs;
    arcs.num_nodes = 7;
    for (int i = 0; i < 14; ++i) {
      arcs.arcs.push_back(
          {static_cast<NodeId>(random.below(6)), static_cast<NodeId>(random.below(6))});
    }
    graph = arcs.graph();  // node 6 is isolated
    std::vector<float> values;
    for (std::int64_t i = 0; i < 7 * kFeatures; ++i) {
      const bool is_zero = is_sparse && random.uniform() < 0.85;
      values.push_back(is_zero ? 0.0f : static_cast<float>(random.uniform(-1, 1)));
    }
    features = Features::dense(7, kFeatures, values);
  }
  nn::Input input() const { return nn::Input(ops::Graph(graph), features, true); }
  Numbers numbers() const { return {features.values.begin(), features.values.end()}; }
};

Config config_of(const std::string& model, const std::vector<std::string>& settings) {
  Config config(nn::find_model(model).parameters);
  config.set_text("channels=3");
  for (const std::string& setting : settings) config.set_text(setting);
  return config;
}

/// Random numbers in place of the initial ones, where those are special.
void shake(nn::Model& model, std::uint64_t seed) {
  const at::NoGradGuard no_gradients;
  model.weights().values().add_(0.2 * testing::random_tensor({model.weights().size()}, seed));
}

std::map<std::string, Numbers> numbers_of(const nn::Model& model) {
  std::map<std::string, Numbers> all;
  for (const nn::Weight& weight : model.weights().all()) {
    const double* data = weight.tensor.data_ptr<double>();
    all[weight.name] = Numbers(data, data + weight.tensor.numel());
  }
  return all;
}

void expect_like_plain(const Kind& kind, const Case& graph,
                       const std::vector<std::string>& settings) {
  const Config config = config_of(kind.name, settings);
  const auto model = nn::make_model(kind.name, config, {kFeatures, kClasses}, 3, true);
  shake(*model, 5);
  const PlainSheafNetwork plain = {kind.family,        kind.field, graph.graph, config,
                                   numbers_of(*model), kFeatures,  kClasses};
  const Numbers expected = plain.logits(graph.numbers());
  const at::Tensor logits = model->forward(graph.input(), {});
  ASSERT_EQ(logits.sizes(), at::IntArrayRef({7, kClasses}));
  const at::Tensor reference = at::tensor(expected, at::kDouble).view({7, kClasses});
  EXPECT_LT(testing::relative_error(logits, reference), 1e-9)
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
      {"stalk_dim=1", "activation=none", "sheaf_act=relu"}};
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
  for (const Kind& kind : kKinds) {
    const Case graph(++seed);
    std::vector<std::string> settings = {"stalk_dim=2", "low_pass=yes", "edge_weights=yes",
                                         "second_linear=yes", "activation=elu"};
    if (kind.field == MapField::kPhase) settings.push_back("q=learn");
    const Config config = config_of(kind.name, settings);
    const auto model = nn::make_model(kind.name, config, {kFeatures, kClasses}, seed, true);
    shake(*model, seed);
    const nn::Input input = graph.input();
    const at::Tensor weights = testing::random_tensor({7, kClasses}, seed);
    const auto value = [&] { return (model->forward(input, {true, 9}) * weights).sum(); };
    model->weights().gradients().zero_();
    value().backward();
    const at::Tensor gradients = model->weights().gradients().clone();
    const at::NoGradGuard no_gradients;
    double* numbers = model->weights().values().data_ptr<double>();
    double worst = 0;
    for (std::int64_t i = 0; i < model->weights().size(); ++i) {
      constexpr double kStep = 1e-5;
      const double before = numbers[i];
      numbers[i] = before + kStep;
      const double above = value().item<double>();
      numbers[i] = before - kStep;
      const double below = value().item<double>();
      numbers[i] = before;
      const double slope = (above - below) / (2 * kStep);
      worst = std::max(worst, std::abs(slope - gradients[i].item<double>()));
    }
    EXPECT_LT(worst / gradients.abs().max().item<double>(), 1e-6) << kind.name;
  }
}

TEST(SheafNetwork, CountsItsWeights) {
  const auto count = [](const char* name, const std::vector<std::string>& settings) {
    return nn::make_model(name, config_of(name, settings), {kFeatures, kClasses}, 0)->num_weights();
  };
  // d = 2, f = 3, P planes: input 4*6 + 6; a layer P*6*2k + 2*2 + 3*3 + 2; output P*6*3 + 3.
  const std::vector<std::string> small = {"stalk_dim=2", "layers=1", "edge_weights=no"};
  EXPECT_EQ(count("diag-nsd", small), 30 + 6 * 4 + 15 + 21);
  EXPECT_EQ(count("diag-dsnn", small), 30 + 12 * 4 + 15 + 39);
  EXPECT_EQ(count("gen-dsnn", small), 30 + 12 * 8 + 15 + 39);
  EXPECT_EQ(count("orth-dsnn", small), 30 + 12 * 2 + 15 + 39);
  EXPECT_EQ(count("gen-nsd-compl", small), 30 + 12 * 16 + 15 + 39);
  EXPECT_EQ(count("diag-dsnn", {"stalk_dim=2", "layers=1", "q=learn"}), 30 + 12 * 4 + 15 + 39 + 1);
}

// With q = 0, an imaginary plane of zeros and the same real weights.
TEST(SheafNetwork, WithoutChargeIsNsd) {
  for (const std::string family : {"diag", "orth", "gen"}) {
    const Case graph(77);
    const auto directed = nn::make_model(family + "-dsnn", config_of(family + "-dsnn", {"q=0"}),
                                         {kFeatures, kClasses}, 1, true);
    const auto undirected = nn::make_model(family + "-nsd", config_of(family + "-nsd", {}),
                                           {kFeatures, kClasses}, 2, true);
    shake(*undirected, 3);
    const at::NoGradGuard no_gradients;
    std::map<std::string, at::Tensor> real;
    for (const nn::Weight& weight : undirected->weights().all()) real[weight.name] = weight.tensor;
    for (const nn::Weight& weight : directed->weights().all()) {
      const at::Tensor& from = real.at(weight.name);
      if (from.sizes() == weight.tensor.sizes()) {
        weight.tensor.copy_(from);
      } else {
        weight.tensor.narrow(0, 0, 1).copy_(from);  // the real plane
      }
    }
    EXPECT_LT(testing::relative_error(directed->forward(graph.input(), {}),
                                      undirected->forward(graph.input(), {})),
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
    const auto model =
        nn::make_model(kind.name, config_of(kind.name, {}), {kFeatures, kClasses}, 4, true);
    shake(*model, 6);
    const at::Tensor logits = model->forward(graph.input(), {});
    const at::Tensor permuted = model->forward(other.input(), {});
    EXPECT_LT(testing::relative_error(permuted.index_select(0, at::tensor(order)), logits), 1e-10)
        << kind.name;
  }
}

TEST(SheafNetwork, ReversingAllArcsConjugatesALayer) {
  for (const char* name : {"diag-dsnn", "orth-dsnn", "gen-dsnn"}) {
    const Case graph(55);
    Case reversed = graph;
    reversed.graph = graph.graph.reversed();
    const auto model = nn::make_model(name, config_of(name, {"layers=1", "q=0.2"}),
                                      {kFeatures, kClasses}, 4, true);
    shake(*model, 8);
    const auto layer = [&](const Case& which) {
      at::Tensor x;
      nn::Pass pass;
      pass.probe = [&](const std::string& place, const at::Tensor& numbers) {
        if (place == "layer 1") x = numbers;
      };
      model->forward(which.input(), pass);
      return x;
    };
    const at::Tensor forward = layer(graph), backward = layer(reversed);
    EXPECT_LT(testing::relative_error(backward.select(0, 0), forward.select(0, 0)), 1e-12);
    EXPECT_LT(testing::relative_error(-backward.select(0, 1), forward.select(0, 1)), 1e-12);
    EXPECT_GT(forward.select(0, 1).abs().max().item<double>(), 1e-3) << name;
  }
}

// Turning some arcs around changes DSNN's output, and not a bit of NSD's and NSD-Compl's.
TEST(SheafNetwork, WithoutAPhaseArcsHaveNoDirection) {
  for (const Kind& kind : kKinds) {
    const Case graph(56);
    Case turned = graph;
    std::vector<Arc> arcs = graph.graph.arcs();
    for (std::size_t i = 0; i < arcs.size(); i += 2) std::swap(arcs[i].source, arcs[i].target);
    turned.graph = DirectedGraph::from_arcs(graph.graph.num_nodes(), arcs);
    ASSERT_EQ(turned.graph.num_half_edges(), graph.graph.num_half_edges());
    const auto model =
        nn::make_model(kind.name, config_of(kind.name, {}), {kFeatures, kClasses}, 4, true);
    shake(*model, 6);
    const double change = testing::relative_error(model->forward(turned.input(), {}),
                                                  model->forward(graph.input(), {}));
    if (kind.field == MapField::kPhase) {
      EXPECT_GT(change, 1e-3) << kind.name;
    } else {
      EXPECT_EQ(change, 0) << kind.name;
    }
  }
}

TEST(SheafNetwork, DropoutIsAFunctionOfTheSeed) {
  const Case graph(9);
  const auto model = nn::make_model(
      "diag-dsnn", config_of("diag-dsnn", {"input_dropout=0.3", "embed_dropout=0.3"}),
      {kFeatures, kClasses}, 4, true);
  const nn::Input input = graph.input();
  const auto logits = [&](std::uint64_t seed) { return model->forward(input, {true, seed}); };
  EXPECT_TRUE(at::equal(logits(1), logits(1)));
  EXPECT_FALSE(at::equal(logits(1), logits(2)));
  EXPECT_TRUE(at::equal(model->forward(input, {false, 1}), model->forward(input, {false, 2})));
}

TEST(SheafNetwork, TheSameSeedMakesTheSameModel) {
  const auto values = [](std::uint64_t seed) {
    return nn::make_model("gen-dsnn", config_of("gen-dsnn", {}), {kFeatures, kClasses}, seed)
        ->weights()
        .values()
        .clone();
  };
  EXPECT_TRUE(at::equal(values(1), values(1)));
  EXPECT_FALSE(at::equal(values(1), values(2)));
}

TEST(ModelRegistry, RefusesWrongNamesAndValues) {
  testing::expect_error(
      [] { nn::find_model("diag-dsn"); },
      "'diag-dsn' is no model; did you mean 'diag-dsnn'? ('dsnn models' lists all)");
  Config config(nn::find_model("diag-dsnn").parameters);
  const auto expect = [&](const std::string& setting, const std::string& sentence) {
    testing::expect_error([&] { config.set_text(setting); }, sentence);
  };
  expect("layer=3", "'layer' is no parameter of this model; did you mean 'layers'?");
  expect("zzz=3", "'zzz' is no parameter of this model");
  expect("layers", "'layers' sets nothing, expected key=value");
  expect("layers=0", "layers is 0, expected a whole number from 1 to 1000");
  expect("layers=2.5", "layers is 2.5, expected a whole number from 1 to 1000");
  expect("layers=many", "layers is many, expected a whole number from 1 to 1000");
  expect("dropout=1", "dropout is 1, expected a number from 0 to 0.99");
  expect("dropout=nan", "dropout is nan, expected a number from 0 to 0.99");
  expect("low_pass=maybe", "low_pass is maybe, expected true or false");
  expect("sheaf_act=tan",
         "sheaf_act is tan, expected one of elu, identity, relu, tanh; did you mean 'tanh'?");
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
