#include "dsnn/data/features.h"
#include "dsnn/nn/magnetic.h"
#include "dsnn/nn/model.h"
#include "dsnn/sheaf/laplacian.h"

#include "nn/baseline_cases.h"
#include "support/dense.h"
#include "support/run_model.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <vector>

namespace dsnn {
namespace {

using namespace testing;

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

// With dropout, a pass is still a function of the weights, whose derivative is the gradient.
TEST(Baselines, GradientsWithDropoutByCentralDifferences) {
  std::uint64_t seed = 300;
  for (const Setting& setting : all_settings()) {
    const BaselineCase graph(++seed);
    const auto model = make(setting, seed);
    ModelRun<double> run(*model, graph.input(),
                         {.is_training = true, .factors = random_numbers(kNodes * kClasses, seed)});
    constexpr std::uint64_t kPassSeed = 11;
    const Numbers gradients = run.gradients(kPassSeed);
    const Numbers direction = random_numbers(model->num_weights(), seed + 1);
    const double expected =
        std::inner_product(gradients.begin(), gradients.end(), direction.begin(), 0.0);
    const auto moved = [&](double step) {
      for (std::size_t i = 0; i < direction.size(); ++i) {
        run.weights()[i] = model->weights().initial()[i] + step * direction[i];
      }
      return run.loss(kPassSeed);
    };
    constexpr double kStep = 1e-6;
    const double slope = (moved(kStep) - moved(-kStep)) / (2 * kStep);
    EXPECT_NEAR(slope, expected, 1e-6 * std::max(1.0, std::abs(expected))) << name_of(setting);
  }
}

TEST(Baselines, RelabellingTheNodesPermutesTheOutput) {
  std::uint64_t seed = 500;
  for (const Setting& setting : all_settings()) {
    const BaselineCase graph(++seed, Weighted::kPositive);
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
        engine::Graph(DirectedGraph::from_arcs(kNodes, arcs, graph.graph.arc_weights())),
        Features::dense(kNodes, kFeatures, values));
    const auto model = make(setting, seed);
    const Numbers logits = evaluate(*model, graph.input());
    const Numbers permuted = evaluate(*model, relabelled);
    EXPECT_LT(relative_error(rows_at(permuted, to, kClasses), logits), 1e-10) << name_of(setting);
  }
}

TEST(AllModels, WithoutDropoutATrainingPassIsAnEvaluation) {
  const BaselineCase graph(3);
  for (const nn::ModelEntry& entry : nn::model_registry()) {
    Config config(entry.parameters);
    const auto passes_agree = [&] {
      const auto model = nn::make_model(entry.name, config, {kFeatures, kClasses}, 1);
      const nn::Input input = graph.input();
      return ModelRun<double>(*model, input, {.is_training = true}).logits(5) ==
             evaluate(*model, input);
    };
    config.set("dropout", 0.5);
    EXPECT_TRUE(nn::has_dropout(config)) << entry.name;
    EXPECT_FALSE(passes_agree()) << entry.name;
    for (const Parameter& parameter : entry.parameters) {
      const bool is_rate = parameter.role == ParameterRole::kDropout;
      EXPECT_EQ(is_rate, parameter.help.starts_with("Dropout"))
          << entry.name << " " << parameter.name;
      if (is_rate) config.set(parameter.name, 0.0);
    }
    EXPECT_FALSE(nn::has_dropout(config)) << entry.name;
    EXPECT_TRUE(passes_agree()) << entry.name;
  }
}

// Large enough for steps to be worth sharing among threads.
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
  const nn::Input input(engine::Graph(DirectedGraph::from_arcs(kMany, arcs)),
                        Features::dense(kMany, 4, values));
  for (const nn::ModelEntry& entry : nn::model_registry()) {
    Config config(entry.parameters);
    if (entry.name == "gcnii") config.set_text("layers=3");
    if (entry.name == "dirgnn") config.set_text("alpha=learn");
    const auto model = nn::make_model(entry.name, config, {4, kClasses}, 1);
    std::vector<float> logits, gradients;
    for (const int threads : {1, 2, 3, 8}) {
      ModelRun<float> run(*model, input,
                          {.is_training = true,
                           .threads = threads,
                           .factors = random_numbers(kMany * kClasses, 2)});
      const std::vector<float> run_logits = run.logits(5), run_gradients = run.gradients(5);
      if (threads == 1) {
        logits = run_logits;
        gradients = run_gradients;
        continue;
      }
      EXPECT_EQ(run_logits, logits) << entry.name << " with " << threads << " threads";
      for (const engine::Weight& weight : model->weights().all()) {
        const auto part = [&](const std::vector<float>& of) {
          const auto begin = of.begin() + weight.offset;
          return std::vector<float>(begin, begin + engine::num_numbers(weight.shape));
        };
        EXPECT_EQ(part(run_gradients), part(gradients))
            << entry.name << " " << weight.name << " with " << threads << " threads";
      }
    }
  }
}

// The sheaf networks have more tests of this (sheaf_network_test.cpp).
TEST(Baselines, RandomMapsAreNotTrained) {
  for (const nn::ModelEntry& entry : nn::model_registry()) {
    if (!is_baseline(entry)) continue;
    const bool has_maps = std::ranges::any_of(
        entry.parameters, [](const Parameter& parameter) { return parameter.name == "maps"; });
    if (!has_maps) continue;
    const BaselineCase graph(3);
    const auto model = make({entry.name, {"maps=random", "layers=2"}}, 5);
    const Numbers gradients =
        ModelRun<double>(*model, graph.input(), {.factors = random_numbers(kNodes * kClasses, 5)})
            .gradients();
    for (const engine::Weight& weight : model->weights().all()) {
      const auto begin = gradients.begin() + weight.offset;
      const bool has_none = std::all_of(begin, begin + engine::num_numbers(weight.shape),
                                        [](double x) { return x == 0; });
      EXPECT_EQ(has_none, weight.name.ends_with(".learner")) << entry.name << " " << weight.name;
    }
    for (const nn::WeightPiece& piece : model->weights().pieces()) {
      EXPECT_NE(piece.group, nn::WeightGroup::kSheaf) << entry.name;
    }
  }
}

// --- degenerate cases ---

Numbers logits_of(const Setting& setting, const nn::Input& input) {
  return evaluate(*make(setting, 5), input);
}

/// The logits of one node.
Numbers row(const Numbers& logits, NodeId node) {
  return rows_at(logits, std::vector<NodeId>{node}, kClasses);
}

bool are_finite(const Numbers& numbers) {
  return std::ranges::all_of(numbers, [](double x) { return std::isfinite(x); });
}

TEST(Baselines, WithoutEdgesGcnIsAnMlp) {
  const BaselineCase graph(3, Weighted::kNo, 0);
  const std::vector<std::string> settings = {"layers=2", "channels=5"};
  EXPECT_EQ(logits_of({"gcn", settings}, graph.input()),
            logits_of({"mlp", settings}, graph.input()));
}

TEST(Baselines, GraphsOfOneNodeOrWithoutEdgesWork) {
  const BaselineCase no_edges(4, Weighted::kNo, 0);
  const nn::Input one(engine::Graph(DirectedGraph::from_arcs(1, {})),
                      Features::dense(1, kFeatures, std::vector<float>(kFeatures, 1)));
  for (const Setting& setting : all_settings()) {
    EXPECT_TRUE(are_finite(logits_of(setting, no_edges.input()))) << name_of(setting);
    EXPECT_TRUE(are_finite(logits_of(setting, one))) << name_of(setting);
  }
}

TEST(Baselines, FeaturesOfZerosGiveTheSameForAll) {
  BaselineCase graph(7);
  graph.features = Features::dense(kNodes, kFeatures, std::vector<float>(kNodes * kFeatures, 0));
  // Without a bias before the graph is used, all nodes are alike.
  for (const char* model : {"mlp", "sgc"}) {
    const Numbers logits = logits_of({model, {}}, graph.input());
    for (NodeId u = 1; u < kNodes; ++u) {
      EXPECT_LT(relative_error(row(logits, u), row(logits, 0)), 1e-5) << model;
    }
  }
}

// Nodes connected only by cancelling arcs: their degree is 0, but they are still neighbours.
TEST(Baselines, ArcsMayCancelEachOther) {
  BaselineCase graph(8);
  const std::vector<Arc> arcs = {{0, 1}, {1, 0}, {2, 3}};
  graph.graph = DirectedGraph::from_arcs(kNodes, arcs, std::vector<double>{1, -1, 2});
  BaselineCase other = graph;
  for (std::int64_t i = 0; i < kFeatures; ++i)
    other.features.values[static_cast<std::size_t>(kFeatures + i)] += 1;
  for (const Setting& setting : all_settings()) {
    const Numbers logits = logits_of(setting, graph.input());
    EXPECT_TRUE(are_finite(logits)) << name_of(setting);
    const std::string name = name_of(setting);
    const bool sees_pairs = setting.model == "gat" || name.find("pool") != std::string::npos;
    const Numbers others = logits_of(setting, other.input());
    const bool sees_other = relative_error(row(others, 0), row(logits, 0)) > 1e-5;
    EXPECT_TRUE(sees_other || !sees_pairs) << name;
  }
}

TEST(Baselines, DirectionMattersToThoseThatUseIt) {
  const BaselineCase graph(9);
  const nn::Input reversed(engine::Graph(graph.graph.reversed()), graph.features);
  for (const nn::ModelEntry& entry : nn::model_registry()) {
    if (!is_baseline(entry)) continue;
    Setting setting{entry.name, {}};
    if (entry.name == "dirgnn") setting.settings = {"alpha=0.3"};
    const double change =
        relative_error(logits_of(setting, reversed), logits_of(setting, graph.input()));
    if (entry.uses_direction) {
      EXPECT_GT(change, 1e-3) << entry.name;
    } else {
      EXPECT_EQ(change, 0) << entry.name;
    }
  }
}

// --- MagNet and SigMaNet ---

TEST(MagNet, AtChargeZeroIsItsRealCounterpart) {
  const BaselineCase graph(11);
  const Setting setting{"magnet", {"q=0", "order=2", "layers=2", "imag_init=zero"}};
  const auto model = make(setting, 5);
  const std::map<std::string, Numbers> numbers = numbers_of(*model);
  // Weights lie in rows; of one in planes, plane `p`.
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto matrix = [&](const std::string& name, Eigen::Index rows, Eigen::Index columns,
                          Eigen::Index p = 0) -> DenseReal {
    return Eigen::Map<const Rows>(numbers.at(name).data() + p * rows * columns, rows, columns);
  };
  // Chebyshev filters of the normalised Laplacian of A_s, in real numbers. The imaginary part is
  // that of the bias alone.
  const DenseReal arcs = adjacency({kNodes, graph.graph.arcs(), {}});
  const DenseReal symmetric = (arcs + arcs.transpose()) / 2;
  const Eigen::VectorXd root = symmetric.rowwise().sum().unaryExpr(
      [](double degree) { return degree > 0 ? 1 / std::sqrt(degree) : 0; });
  const DenseReal m = -(root.asDiagonal() * symmetric * root.asDiagonal());
  const std::vector<float>& features = graph.features.values;
  DenseReal x =
      Eigen::Map<const Eigen::Matrix<float, kNodes, kFeatures, Eigen::RowMajor>>(features.data())
          .cast<double>();
  DenseReal y = DenseReal::Zero(kNodes, kFeatures);
  constexpr Eigen::Index kChannels = 4;
  for (int t = 0; t < 2; ++t) {
    const auto filter = [&](const DenseReal& h) -> DenseReal {
      const DenseReal once = m * h, twice = 2 * m * once - h;
      const auto weight = [&](int k) {
        return matrix(fmt::format("layer{}.order{}.weight", t, k), h.cols(), kChannels);
      };
      const DenseReal bias = matrix(fmt::format("layer{}.bias", t), 1, kChannels);
      return h * weight(0) + once * weight(1) + twice * weight(2) + bias.replicate(kNodes, 1);
    };
    const DenseReal real = filter(x), imag = filter(y);
    x = real.cwiseMax(0);
    y = (real.array() >= 0).select(imag, 0);
  }
  const DenseReal bias = matrix("output.bias", 1, kClasses);
  const Rows expected = x * matrix("output.weight", kChannels, kClasses, 0) +
                        y * matrix("output.weight", kChannels, kClasses, 1) +
                        bias.replicate(kNodes, 1);
  EXPECT_LT(relative_error(evaluate(*model, graph.input()),
                           Numbers(expected.data(), expected.data() + expected.size())),
            1e-12);
}

TEST(SigMaNet, DoesNotSeeTheScaleOfWeights) {
  for (const Weighted weighted : {Weighted::kPositive, Weighted::kSigned}) {
    const BaselineCase graph(13, weighted);
    std::vector<double> weights = graph.graph.arc_weights();
    for (double& weight : weights) weight *= 3.7;
    const nn::Input scaled(
        engine::Graph(DirectedGraph::from_arcs(kNodes, graph.graph.arcs(), weights)),
        graph.features);
    for (const char* self_loops : {"self_loops=yes", "self_loops=no"}) {
      const Setting setting{"sigmanet", {self_loops}};
      EXPECT_LT(relative_error(logits_of(setting, scaled), logits_of(setting, graph.input())),
                1e-12);
    }
  }
}

/// x - L x, of a Laplacian normalised by its diagonal, channel by channel. x: planes [2, n, f].
Numbers minus_laplacian(const Sheaf& sheaf, const Numbers& x, std::int64_t f) {
  const std::size_t size = x.size() / 2;
  std::vector<Complex> numbers(size);
  for (std::size_t i = 0; i < size; ++i) numbers[i] = {x[i], x[size + i]};
  const std::vector<Complex> applied =
      LaplacianOperator(sheaf, Normalisation::kExact).apply(numbers, f);
  Numbers y = x;
  for (std::size_t i = 0; i < size; ++i) {
    y[i] -= applied[i].real();
    y[size + i] -= applied[i].imag();
  }
  return y;
}

/// The matrix times x, planes [2, n, f].
Numbers product(const nn::HermitianMatrix& matrix, const Numbers& x, std::int64_t f) {
  engine::Program program;
  const engine::Value y = matrix(program.constant({2, matrix.pattern.num_cols(), f}, x));
  program.keep(y);
  engine::Session<double> session(program, engine::Device::cpu(), {});
  session.forward();
  return {session.numbers(y).begin(), session.numbers(y).end()};
}

// Theorem 4: on graphs of one-way edges the normalised Laplacians of the trivial directed sheaf and
// of the magnetic one are the same, and with q = 1/4 the sign-magnetic one, too.
TEST(MagNet, PropagationIsThatOfTheTrivialDirectedSheaf) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const BaselineCase any(seed);
    std::vector<Arc> one_way;
    for (const HalfEdgeId h : any.graph.edge_list()) {
      const std::vector<NodeId> owners = any.graph.owners();
      one_way.push_back({owners[static_cast<std::size_t>(h)], any.graph.neighbour(h)});
    }
    const DirectedGraph graph = DirectedGraph::from_arcs(kNodes, one_way);
    const nn::Input input(engine::Graph(graph), any.features);
    constexpr std::int64_t kChannels = 3;
    Numbers x = random_numbers(2 * kNodes * kChannels, seed);
    for (std::int64_t i = 0; i < 2 * kNodes; ++i) {
      // no edges: L x = 0 there, so that x - L x is x
      if (graph.degree(static_cast<NodeId>(i % kNodes)) > 0) continue;
      std::fill_n(x.begin() + i * kChannels, kChannels, 0.0);
    }
    for (const double q : {0.0, 0.1, 0.25, 0.4}) {
      const Numbers expected = minus_laplacian(Sheaf::trivial(graph, q), x, kChannels);
      const auto magnetic = nn::magnetic_adjacency(input, q);
      EXPECT_EQ(nn::magnetic_adjacency(input, q), magnetic);  // not recomputed
      EXPECT_LT(relative_error(product(*magnetic, x, kChannels), expected), 1e-12);
      if (q == 0.25) {
        const nn::HermitianMatrix& sign = nn::sign_magnetic_adjacency(input, false);
        EXPECT_LT(relative_error(product(sign, x, kChannels), expected), 1e-12);
      }
    }
  }
}

}  // namespace
}  // namespace dsnn
