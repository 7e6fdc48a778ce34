#include "dsnn/data/features.h"
#include "dsnn/nn/model.h"
#include "dsnn/sheaf/laplacian.h"
#include "dsnn/util/error.h"

#include "nn/adjacency.h"
#include "nn/magnetic.h"
#include "nn/weights.h"
#include "support/expect_error.h"
#include "support/gradient_check.h"
#include "support/plain_baselines.h"
#include "support/random_graphs.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <numeric>

namespace dsnn {
namespace {

constexpr NodeId kNodes = 9;
constexpr std::int64_t kFeatures = 6, kClasses = 3;

enum class Weighted { kNo, kPositive, kSigned };

/// A small graph with one-way and two-way edges and an isolated node, with dense or sparse
/// features.
struct Case {
  DirectedGraph graph;
  Features features;

  explicit Case(std::uint64_t seed, Weighted weighted = Weighted::kNo, int num_arcs = 18) {
    Random random(seed);
    std::vector<Arc> arcs;
    std::vector<double> weights;
    for (int i = 0; i < num_arcs; ++i) {
      arcs.push_back({static_cast<NodeId>(random.below(kNodes - 1)),
                      static_cast<NodeId>(random.below(kNodes - 1))});
      const double size = random.uniform(0.5, 2);
      weights.push_back(weighted == Weighted::kSigned && random.below(2) == 0 ? -size : size);
    }
    if (weighted == Weighted::kNo) weights.clear();
    graph = DirectedGraph::from_arcs(kNodes, arcs, weights);
    const bool is_sparse = seed % 2 == 0;
    std::vector<float> values;
    for (std::int64_t i = 0; i < kNodes * kFeatures; ++i) {
      const bool is_zero = is_sparse && random.uniform() < 0.85;
      values.push_back(is_zero ? 0.0f : static_cast<float>(random.uniform(-1, 1)));
    }
    features = Features::dense(kNodes, kFeatures, values);
  }
  nn::Input input() const { return nn::Input(ops::Graph(graph), features, true); }
  at::Tensor dense_features() const {
    return at::tensor(features.values, at::kFloat).to(at::kDouble).view({kNodes, kFeatures});
  }
};

struct Setting {
  std::string model;
  std::vector<std::string> settings;
};

/// Every model, and every value of every parameter that changes what it computes.
std::vector<Setting> all_settings() {
  return {{"mlp", {}},
          {"mlp", {"layers=1"}},
          {"mlp", {"layers=3"}},
          {"gcn", {}},
          {"gcn", {"layers=3", "directed=yes"}},
          {"sgc", {}},
          {"sgc", {"hops=0"}},
          {"gat", {"heads=2"}},
          {"gat", {"heads=3", "output_heads=2", "layers=3", "directed=yes"}},
          {"gat", {"heads=2", "v2=yes"}},
          {"sage", {}},
          {"sage", {"layers=3", "normalise=no", "directed=yes"}},
          {"sage", {"aggregate=pool"}},
          {"gcnii", {"layers=3"}},
          {"gcnii", {"layers=2", "alpha=0", "lambda=0"}},
          {"h2gcn", {}},
          {"h2gcn", {"layers=1"}},
          {"mixhop", {}},
          {"mixhop", {"hops=0", "layers=1"}},
          {"mixhop", {"hops=3"}},
          {"geomgcn", {}},
          {"geomgcn", {"layers=3"}},
          {"fagcn", {}},
          {"fagcn", {"layers=4", "epsilon=0.7"}},
          {"gprgnn", {"hops=4"}},
          {"gprgnn", {"hops=0", "alpha=1"}},
          {"ggcn", {}},
          {"ggcn", {"layers=4", "decay_rate=0.7", "exponent=1.5"}},
          {"ggcn", {"layers=1"}},
          {"magnet", {}},
          {"magnet", {"order=3", "q=0.1", "layers=1"}},
          {"magnet", {"order=0"}},
          {"magnet", {"order=2", "imag_init=copy"}},
          {"sigmanet", {}},
          {"sigmanet", {"self_loops=no", "layers=3", "imag_init=copy"}},
          {"dirgnn", {}},
          {"dirgnn", {"conv=sage", "jk=cat", "alpha=0.2"}},
          {"dirgnn", {"conv=gat", "jk=none", "alpha=learn"}},
          {"dirgnn", {"conv=gcn", "normalise=yes", "jk=cat", "layers=1"}}};
}

Config config_of(const Setting& setting) {
  Config config(nn::find_model(setting.model).parameters);
  if (setting.model != "sgc") config.set_text("channels=4");
  for (const std::string& text : setting.settings) config.set_text(text);
  return config;
}

std::string name_of(const Setting& setting) {
  return fmt::format("{} {}", setting.model, fmt::join(setting.settings, " "));
}

std::unique_ptr<nn::Model> make(const Setting& setting, std::uint64_t seed) {
  auto model = nn::make_model(setting.model, config_of(setting), {kFeatures, kClasses}, seed, true);
  // Away from initial numbers that are special, such as zeros.
  const at::NoGradGuard no_gradients;
  model->weights().values().add_(0.2 * testing::random_tensor({model->weights().size()}, seed));
  return model;
}

bool is_baseline(const nn::ModelEntry& entry) {
  return entry.family != "DSNN" && entry.family != "NSD" && entry.family != "NSD-Compl";
}

TEST(Baselines, AllAreTested) {
  std::set<std::string> tested;
  for (const Setting& setting : all_settings()) tested.insert(setting.model);
  for (const nn::ModelEntry& entry : nn::model_registry()) {
    EXPECT_TRUE(!is_baseline(entry) || tested.contains(entry.name)) << entry.name;
    EXPECT_GT(entry.year, 1900) << entry.name;
    EXPECT_FALSE(entry.reference.empty() || entry.title.empty() || entry.family.empty());
  }
}

TEST(Baselines, OutputAndGradientsAreThoseOfTheirEquations) {
  std::uint64_t seed = 0;
  for (const Setting& setting : all_settings()) {
    for (const Weighted weighted : {Weighted::kNo, Weighted::kPositive, Weighted::kSigned}) {
      const Case graph(++seed, weighted);
      const auto model = make(setting, seed);
      const Config config = config_of(setting);
      testing::PlainWeights weights;
      std::vector<at::Tensor> leaves;
      for (const nn::Weight& weight : model->weights().all()) {
        leaves.push_back(weight.tensor.detach().clone().requires_grad_());
        weights[weight.name] = leaves.back();
      }
      const testing::PlainBaseline& plain = testing::plain_baselines().at(setting.model);
      const std::vector<at::Tensor> matrices =
          plain.prepare(testing::dense_arcs(graph.graph), config);
      const at::Tensor expected = plain.logits({matrices, graph.dense_features(), weights, config});
      const at::Tensor logits = model->forward(graph.input(), {});
      ASSERT_EQ(logits.sizes(), at::IntArrayRef({kNodes, kClasses}));
      EXPECT_LT(testing::relative_error(logits, expected), 1e-11) << name_of(setting);

      const at::Tensor factors = testing::random_tensor({kNodes, kClasses}, seed);
      const std::vector<at::Tensor> gradients = torch::autograd::grad(
          {(expected * factors).sum()}, leaves, {}, c10::nullopt, false, true);
      model->weights().gradients().zero_();
      (logits * factors).sum().backward();
      for (std::size_t i = 0; i < leaves.size(); ++i) {
        const nn::Weight& weight = model->weights().all()[i];
        const at::Tensor gradient =
            gradients[i].defined() ? gradients[i] : at::zeros_like(leaves[i]);
        const double error = (weight.tensor.grad() - gradient).abs().max().item<double>();
        EXPECT_LT(error, 1e-11 * std::max(1.0, gradient.abs().max().item<double>()))
            << name_of(setting) << " " << weight.name;
      }
    }
  }
}

// With dropout a pass is still a function of the weights: its derivative is the gradient.
TEST(Baselines, GradientsWithDropoutByCentralDifferences) {
  std::uint64_t seed = 300;
  for (const Setting& setting : all_settings()) {
    const Case graph(++seed);
    const auto model = make(setting, seed);
    const nn::Input input = graph.input();
    const at::Tensor factors = testing::random_tensor({kNodes, kClasses}, seed);
    const auto value = [&] { return (model->forward(input, {true, 11}) * factors).sum(); };
    model->weights().gradients().zero_();
    value().backward();
    const at::NoGradGuard no_gradients;
    const at::Tensor direction = testing::random_tensor({model->weights().size()}, seed + 1);
    const double expected = (model->weights().gradients() * direction).sum().item<double>();
    constexpr double kStep = 1e-6;
    const auto moved = [&](double step) {
      model->weights().values().add_(direction, step);
      const double result = value().item<double>();
      model->weights().values().add_(direction, -step);
      return result;
    };
    const double slope = (moved(kStep) - moved(-kStep)) / (2 * kStep);
    EXPECT_NEAR(slope, expected, 1e-6 * std::max(1.0, std::abs(expected))) << name_of(setting);
  }
}

TEST(Baselines, RelabellingTheNodesPermutesTheOutput) {
  std::uint64_t seed = 500;
  for (const Setting& setting : all_settings()) {
    const Case graph(++seed, Weighted::kPositive);
    Random random(seed);
    std::vector<NodeId> to(kNodes);
    std::iota(to.begin(), to.end(), 0);
    random.shuffle(to);
    std::vector<Arc> arcs = graph.graph.arcs();
    for (Arc& arc : arcs) {
      arc = {to[static_cast<std::size_t>(arc.source)], to[static_cast<std::size_t>(arc.target)]};
    }
    std::vector<float> values(graph.features.values.size());
    for (std::size_t u = 0; u < static_cast<std::size_t>(kNodes); ++u) {
      std::copy_n(graph.features.values.begin() + static_cast<std::ptrdiff_t>(u * kFeatures),
                  kFeatures, values.begin() + static_cast<std::ptrdiff_t>(to[u]) * kFeatures);
    }
    const nn::Input relabelled(
        ops::Graph(DirectedGraph::from_arcs(kNodes, arcs, graph.graph.arc_weights())),
        Features::dense(kNodes, kFeatures, values), true);
    const auto model = make(setting, seed);
    const at::NoGradGuard no_gradients;
    const at::Tensor logits = model->forward(graph.input(), {});
    const at::Tensor permuted = model->forward(relabelled, {});
    const at::Tensor places =
        at::tensor(std::vector<std::int64_t>(to.begin(), to.end()), at::kLong);
    EXPECT_LT(testing::relative_error(permuted.index_select(0, places), logits), 1e-10)
        << name_of(setting);
  }
}

TEST(AllModels, WithoutDropoutATrainingPassIsAnEvaluation) {
  const Case graph(3);
  for (const nn::ModelEntry& entry : nn::model_registry()) {
    Config config(entry.parameters);
    const auto passes_agree = [&] {
      const auto model = nn::make_model(entry.name, config, {kFeatures, kClasses}, 1, true);
      const nn::Input input = graph.input();
      return at::equal(model->forward(input, {true, 5}), model->forward(input, {}));
    };
    config.set("dropout", 0.5);
    EXPECT_TRUE(nn::has_dropout(config)) << entry.name;
    EXPECT_FALSE(passes_agree()) << entry.name;
    for (const Parameter& parameter : entry.parameters) {
      if (parameter.help.starts_with("Dropout")) config.set(parameter.name, 0.0);
    }
    EXPECT_FALSE(nn::has_dropout(config)) << entry.name;
    EXPECT_TRUE(passes_agree()) << entry.name;
  }
}

// Large enough for LibTorch to share its sums among threads.
TEST(AllModels, TheSameBitsForAnyNumberOfThreads) {
  constexpr NodeId kMany = 1500;
  Random random(3);
  std::vector<Arc> arcs;
  for (int i = 0; i < 12000; ++i) {
    arcs.push_back(
        {static_cast<NodeId>(random.below(kMany)), static_cast<NodeId>(random.below(kMany))});
  }
  std::vector<float> values;
  for (int i = 0; i < kMany * 4; ++i) values.push_back(static_cast<float>(random.uniform(-1, 1)));
  const nn::Input input(ops::Graph(DirectedGraph::from_arcs(kMany, arcs)),
                        Features::dense(kMany, 4, values));
  const int before = at::get_num_threads();
  for (const nn::ModelEntry& entry : nn::model_registry()) {
    Config config(entry.parameters);
    if (entry.name == "gcnii") config.set_text("layers=3");
    if (entry.name == "dirgnn") config.set_text("alpha=learn");
    const auto model = nn::make_model(entry.name, config, {4, kClasses}, 1);
    const at::Tensor factors = testing::random_tensor({kMany, kClasses}, 2, at::kFloat);
    at::Tensor logits, gradients;
    for (const int threads : {1, 2, 3, 8}) {
      at::set_num_threads(threads);
      model->weights().gradients().zero_();
      const at::Tensor result = model->forward(input, {true, 5});
      (result * factors).sum().backward();
      if (threads == 1) {
        logits = result.detach();
        gradients = model->weights().gradients().clone();
        continue;
      }
      EXPECT_TRUE(at::equal(result, logits)) << entry.name << " with " << threads << " threads";
      for (const nn::Weight& weight : model->weights().all()) {
        const std::int64_t place = weight.tensor.storage_offset();
        const auto part = [&](const at::Tensor& of) {
          return of.narrow(0, place, weight.tensor.numel());
        };
        EXPECT_TRUE(at::equal(part(model->weights().gradients()), part(gradients)))
            << entry.name << " " << weight.name << " with " << threads << " threads";
      }
    }
  }
  at::set_num_threads(before);
}

// --- degenerate cases ---

at::Tensor logits_of(const Setting& setting, const nn::Input& input) {
  const at::NoGradGuard no_gradients;
  return make(setting, 5)->forward(input, {});
}

TEST(Baselines, WithoutEdgesGcnIsAnMlp) {
  const Case graph(3, Weighted::kNo, 0);
  EXPECT_TRUE(
      at::equal(logits_of({"gcn", {}}, graph.input()), logits_of({"mlp", {}}, graph.input())));
}

TEST(Baselines, GraphsOfOneNodeOrWithoutEdgesWork) {
  const Case no_edges(4, Weighted::kNo, 0);
  const nn::Input one(ops::Graph(DirectedGraph::from_arcs(1, {})),
                      Features::dense(1, kFeatures, std::vector<float>(kFeatures, 1)), true);
  for (const Setting& setting : all_settings()) {
    EXPECT_TRUE(logits_of(setting, no_edges.input()).isfinite().all().item<bool>())
        << name_of(setting);
    EXPECT_TRUE(logits_of(setting, one).isfinite().all().item<bool>()) << name_of(setting);
  }
}

TEST(Baselines, FeaturesOfZerosGiveTheSameForAll) {
  Case graph(7);
  graph.features = Features::dense(kNodes, kFeatures, std::vector<float>(kNodes * kFeatures, 0));
  // Without a bias before the graph comes in, nothing tells nodes apart.
  for (const char* model : {"mlp", "sgc"}) {
    const at::Tensor logits = logits_of({model, {}}, graph.input());
    EXPECT_TRUE(at::allclose(logits, logits[0].expand_as(logits))) << model;
  }
}

// Nodes that nothing else joins: their degree is 0, and they are neighbours all the same.
TEST(Baselines, ArcsMayCancelEachOther) {
  Case graph(8);
  const std::vector<Arc> arcs = {{0, 1}, {1, 0}, {2, 3}};
  graph.graph = DirectedGraph::from_arcs(kNodes, arcs, std::vector<double>{1, -1, 2});
  Case other = graph;
  for (std::int64_t i = 0; i < kFeatures; ++i)
    other.features.values[static_cast<std::size_t>(kFeatures + i)] += 1;
  for (const Setting& setting : all_settings()) {
    const at::Tensor logits = logits_of(setting, graph.input());
    EXPECT_TRUE(logits.isfinite().all().item<bool>()) << name_of(setting);
    const std::string name = name_of(setting);
    const bool sees_pairs = setting.model == "gat" || name.find("pool") != std::string::npos;
    const bool sees_other = !at::allclose(logits_of(setting, other.input())[0], logits[0]);
    EXPECT_TRUE(sees_other || !sees_pairs) << name;
  }
}

TEST(Baselines, DirectionMattersToThoseThatUseIt) {
  const Case graph(9);
  const nn::Input reversed(ops::Graph(graph.graph.reversed()), graph.features, true);
  for (const nn::ModelEntry& entry : nn::model_registry()) {
    if (!is_baseline(entry)) continue;
    Setting setting{entry.name, {}};
    if (entry.name == "dirgnn") setting.settings = {"alpha=0.3"};
    const double change =
        testing::relative_error(logits_of(setting, reversed), logits_of(setting, graph.input()));
    if (entry.uses_direction) {
      EXPECT_GT(change, 1e-3) << entry.name;
    } else {
      EXPECT_EQ(change, 0) << entry.name;
    }
  }
}

// --- MagNet and SigMaNet ---

TEST(MagNet, AtChargeZeroIsItsRealCounterpart) {
  const Case graph(11);
  const Setting setting{"magnet", {"q=0", "order=2", "layers=2"}};
  const auto model = make(setting, 5);
  std::map<std::string, at::Tensor> w;
  for (const nn::Weight& weight : model->weights().all()) w[weight.name] = weight.tensor;
  // Chebyshev filters of the normalised Laplacian of A_s, in real numbers. The imaginary part is
  // that of the bias alone.
  const at::NoGradGuard no_gradients;
  const at::Tensor arcs = testing::dense_arcs(graph.graph), symmetric = (arcs + arcs.t()) / 2;
  const at::Tensor degrees = symmetric.sum(1);
  const at::Tensor root = at::where(degrees > 0, degrees.rsqrt(), at::zeros_like(degrees));
  const at::Tensor m = -root.unsqueeze(1) * symmetric * root.unsqueeze(0);
  at::Tensor x = graph.dense_features(), y = at::zeros_like(x);
  for (int t = 0; t < 2; ++t) {
    const auto filter = [&](const at::Tensor& h) {
      const at::Tensor once = at::mm(m, h), twice = 2 * at::mm(m, once) - h;
      const auto weight = [&](int k) { return w.at(fmt::format("layer{}.order{}.weight", t, k)); };
      return at::mm(h, weight(0)) + at::mm(once, weight(1)) + at::mm(twice, weight(2)) +
             w.at(fmt::format("layer{}.bias", t));
    };
    const at::Tensor real = filter(x), imag = filter(y);
    x = real.relu();
    y = imag * (real >= 0);
  }
  const at::Tensor& output = w.at("output.weight");
  const at::Tensor expected = at::mm(x, output[0]) + at::mm(y, output[1]) + w.at("output.bias");
  EXPECT_LT(testing::relative_error(model->forward(graph.input(), {}), expected), 1e-12);
}

TEST(SigMaNet, DoesNotSeeTheScaleOfWeights) {
  for (const Weighted weighted : {Weighted::kPositive, Weighted::kSigned}) {
    const Case graph(13, weighted);
    std::vector<double> weights = graph.graph.arc_weights();
    for (double& weight : weights) weight *= 3.7;
    const nn::Input scaled(
        ops::Graph(DirectedGraph::from_arcs(kNodes, graph.graph.arcs(), weights)), graph.features,
        true);
    for (const char* self_loops : {"self_loops=yes", "self_loops=no"}) {
      const Setting setting{"sigmanet", {self_loops}};
      EXPECT_LT(
          testing::relative_error(logits_of(setting, scaled), logits_of(setting, graph.input())),
          1e-12);
    }
  }
}

/// x - L x, of a Laplacian normalised by its diagonal, channel by channel.
at::Tensor minus_laplacian(const Sheaf& sheaf, const at::Tensor& x) {
  const std::int64_t n = x.size(1), f = x.size(2);
  std::vector<Complex> numbers(static_cast<std::size_t>(n * f));
  const double* re = x.data_ptr<double>();
  for (std::int64_t i = 0; i < n * f; ++i) {
    numbers[static_cast<std::size_t>(i)] = {re[i], re[n * f + i]};
  }
  const std::vector<Complex> applied =
      LaplacianOperator(sheaf, Normalisation::kExact).apply(numbers, f);
  at::Tensor y = x.clone();
  double* out = y.data_ptr<double>();
  for (std::int64_t i = 0; i < n * f; ++i) {
    out[i] -= applied[static_cast<std::size_t>(i)].real();
    out[n * f + i] -= applied[static_cast<std::size_t>(i)].imag();
  }
  return y;
}

// Theorem 4: on graphs of one-way edges the normalised Laplacians of the trivial directed sheaf and
// of the magnetic one are the same, and with q = 1/4 the sign-magnetic one, too.
TEST(MagNet, PropagationIsThatOfTheTrivialDirectedSheaf) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Case any(seed);
    std::vector<Arc> one_way;
    for (const HalfEdgeId h : any.graph.edge_list()) {
      const std::vector<NodeId> owners = any.graph.owners();
      one_way.push_back({owners[static_cast<std::size_t>(h)], any.graph.neighbour(h)});
    }
    const DirectedGraph graph = DirectedGraph::from_arcs(kNodes, one_way);
    const nn::Input input(ops::Graph(graph), any.features, true);
    at::Tensor x = testing::random_tensor({2, kNodes, 3}, seed);
    x.select(1, kNodes - 1).zero_();  // no edges: L x = 0 there, so that x - L x is x
    for (NodeId u = 0; u < kNodes; ++u) {
      if (graph.degree(u) == 0) x.select(1, u).zero_();
    }
    for (const double q : {0.0, 0.1, 0.25, 0.4}) {
      const at::Tensor expected = minus_laplacian(Sheaf::trivial(graph, q), x);
      const auto magnetic = nn::magnetic_adjacency(input, q, at::kDouble);
      EXPECT_EQ(nn::magnetic_adjacency(input, q, at::kDouble), magnetic);  // not made again
      EXPECT_LT(testing::relative_error((*magnetic)(x), expected), 1e-12);
      if (q == 0.25) {
        const auto& sign = nn::sign_magnetic_adjacency(input, false, at::kDouble);
        EXPECT_LT(testing::relative_error(sign(x), expected), 1e-12);
      }
    }
  }
}

}  // namespace
}  // namespace dsnn
