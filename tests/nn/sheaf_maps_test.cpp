#include "dsnn/engine/operators/linear.h"
#include "dsnn/nn/magnetic.h"
#include "dsnn/nn/model.h"

#include "nn/plain_sheaf_network.h"
#include "nn/sheaf_cases.h"
#include "support/run_model.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

// Random and identity maps, and polynomials of the Laplacian (also in sheaf_network_test.cpp).

namespace dsnn {
namespace {

using namespace testing;

// Maps that are not trained are constants to the gradient, although they depend on the features.
TEST(SheafMaps, RandomMapsHaveNoGradient) {
  std::uint64_t seed = 400;
  for (const Kind& kind : kKinds) {
    const Case graph(++seed);
    const Config config = config_of(kind.name, {"maps=random", "stalk_dim=2", "layers=2",
                                                "edge_weights=yes", "activation=elu"});
    const auto model = nn::make_model(kind.name, config, {kFeatures, kClasses}, seed);
    shake(*model, seed);
    const Numbers factors = random_numbers(7 * kClasses, seed);
    const Numbers gradients =
        ModelRun<double>(*model, graph.input(), {.factors = factors}).gradients();
    PlainSheafNetwork plain = {kind.family,        kind.field, graph.graph, config,
                               numbers_of(*model), kFeatures,  kClasses};
    std::vector<PlainSheafNetwork::Maps> maps;
    plain.logits(graph.numbers(), &maps);
    plain.given = maps;
    const auto loss = [&] {
      const Numbers logits = plain.logits(graph.numbers());
      return std::inner_product(logits.begin(), logits.end(), factors.begin(), 0.0);
    };
    for (const engine::Weight& weight : model->weights().all()) {
      Numbers slopes;
      for (double& number : plain.weights.at(weight.name)) {
        constexpr double kStep = 1e-5;
        const double before = number;
        number = before + kStep;
        const double above = loss();
        number = before - kStep;
        slopes.push_back((above - loss()) / (2 * kStep));
        number = before;
      }
      const auto begin = gradients.begin() + weight.offset;
      const Numbers of_weight(begin, begin + std::ssize(slopes));
      EXPECT_LT(relative_error(of_weight, slopes), 1e-6) << kind.name << " " << weight.name;
      const bool is_learner = weight.name.ends_with(".learner");
      EXPECT_EQ(std::ranges::all_of(of_weight, [](double x) { return x == 0; }), is_learner)
          << kind.name << " " << weight.name;
    }
    for (const nn::WeightPiece& piece : model->weights().pieces()) {
      EXPECT_NE(piece.group, nn::WeightGroup::kSheaf) << kind.name;
    }
  }
}

/// The operators of a pass of training, forwards and backwards.
std::vector<std::string> operators_of(const std::string& model, const std::string& maps) {
  const Case graph(70);
  const auto made = nn::make_model(model, config_of(model, {maps}), {kFeatures, kClasses}, 1);
  engine::Program program;
  const engine::Value logits = made->forward(graph.input(), {program, true});
  program.differentiate(
      engine::linear(program.reshape(logits, {1, 7 * kClasses}), program.zeros({7 * kClasses, 1})));
  std::vector<std::string> names;
  for (const engine::Step& step : program.steps()) {
    names.push_back(step.op->name() + (step.is_backward ? " backward" : ""));
  }
  return names;
}

TEST(SheafMaps, WhatIsNotLearnedIsNotComputed) {
  for (const Kind& kind : kKinds) {
    const auto has = [](const std::vector<std::string>& names, const std::string& name) {
      return std::ranges::find(names, name) != names.end();
    };
    const std::vector<std::string> learned = operators_of(kind.name, "maps=learned"),
                                   random = operators_of(kind.name, "maps=random"),
                                   identity = operators_of(kind.name, "maps=identity");
    for (const char* name : {"sheaf_maps", "scaled_maps"}) {
      EXPECT_TRUE(has(learned, fmt::format("{} backward", name))) << kind.name;
      EXPECT_TRUE(has(random, name)) << kind.name;
      EXPECT_FALSE(has(random, fmt::format("{} backward", name))) << kind.name;
      EXPECT_FALSE(has(identity, name)) << kind.name;
    }
    EXPECT_FALSE(has(random, "orthogonal backward")) << kind.name;
  }
}

// The families differ only in their maps.
TEST(SheafMaps, IdentitiesHaveNoFamily) {
  const Case graph(71);
  for (const std::string field : {"dsnn", "nsd", "nsd-compl"}) {
    std::vector<Numbers> logits;
    for (const std::string family : {"diag-", "orth-", "gen-"}) {
      for (const char* normalise : {"normalise=degree", "normalise=augmented"}) {
        const Config config =
            config_of(family + field, paper_layer_and({"maps=identity", normalise}));
        const auto model = nn::make_model(family + field, config, {kFeatures, kClasses}, 3);
        logits.push_back(evaluate(*model, graph.input()));
        EXPECT_EQ(logits.back(), logits.front()) << family + field;
      }
    }
  }
}

// On graphs of one-way arcs, the operator is MagNet's on every stalk dimension (Theorem 4).
TEST(SheafMaps, IdentitiesWithAPhaseAreTheMagneticLaplacian) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Case graph(seed);
    std::vector<Arc> one_way;
    const std::vector<NodeId> owners = graph.graph.owners();
    for (const HalfEdgeId h : graph.graph.edge_list()) {
      one_way.push_back({owners[static_cast<std::size_t>(h)], graph.graph.neighbour(h)});
    }
    graph.graph = DirectedGraph::from_arcs(7, one_way);
    const Config config = config_of(
        "gen-dsnn", {"maps=identity", "normalise=exact", "layers=1", "q=0.1", "activation=none",
                     "left_weights=no", "right_weights=no", "diagonal=keep", "low_pass=no"});
    const auto model = nn::make_model("gen-dsnn", config, {kFeatures, kClasses}, seed);
    const nn::Input input = graph.input();
    ModelRun<double> run(*model, input);
    const std::int64_t size = std::ssize(run.part("layer 1")) / 14;  // D f
    Numbers before = run.part("the input");
    const Numbers after = run.part("layer 1");
    before.resize(after.size(), 0);  // the imaginary parts, if the network leaves them out
    engine::Program program;         // X - A X = L X, so that X - L X = A X
    const engine::Value y =
        (*nn::magnetic_adjacency(input, 0.1))(program.constant({2, 7, size}, before));
    program.keep(y);
    engine::Session<double> session(program, engine::Device::cpu(), {});
    session.forward();
    Numbers expected(session.numbers(y).begin(), session.numbers(y).end());
    for (NodeId u = 0; u < 7; ++u) {  // L is 0 where there is no edge
      if (graph.graph.degree(u) > 0) continue;
      for (const std::int64_t row : {u * size, (7 + u) * size}) {
        std::copy_n(before.begin() + row, size, expected.begin() + row);
      }
    }
    EXPECT_LT(relative_error(after, expected), 1e-12);
  }
}

// At first, and with degree 1 always.
TEST(SheafMaps, APolynomialBeginsAsTheLaplacian) {
  for (const Kind& kind : kKinds) {
    for (const char* diagonal : {"diagonal=keep", "diagonal=drop"}) {
      const Case graph(72);
      const auto logits = [&](const char* order) {
        const Config config = config_of(kind.name, {order, diagonal});
        const auto model = nn::make_model(kind.name, config, {kFeatures, kClasses}, 3);
        return evaluate(*model, graph.input());
      };
      EXPECT_LT(relative_error(logits("order=3"), logits("order=1")), 1e-12) << kind.name;
    }
  }
}

}  // namespace
}  // namespace dsnn
