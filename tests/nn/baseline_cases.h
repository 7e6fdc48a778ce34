#pragma once

#include "dsnn/config/config.h"
#include "dsnn/data/features.h"
#include "dsnn/nn/model.h"
#include "dsnn/util/random.h"

#include "support/run_model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

// The test cases for the models of src/nn/baselines.

namespace dsnn::testing {

constexpr NodeId kNodes = 9;
constexpr std::int64_t kFeatures = 6, kClasses = 3;

enum class Weighted { kNo, kPositive, kSigned };

/// A small graph with one-way and two-way edges and an isolated node, with dense or sparse
/// features.
struct BaselineCase {
  DirectedGraph graph;
  Features features;

  explicit BaselineCase(std::uint64_t seed, Weighted weighted = Weighted::kNo, int num_arcs = 18) {
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
  nn::Input input() const { return nn::Input(engine::Graph(graph), features); }
};

struct Setting {
  std::string model;
  std::vector<std::string> settings;
};

/// Every model, and every value of every parameter that changes what it computes.
inline std::vector<Setting> all_settings() {
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
          {"dirgnn", {"conv=gcn", "normalise=yes", "jk=cat", "layers=1"}},
          {"gatedgcn", {"layers=3"}},
          {"gatedgcn", {"neighbours=out"}},
          {"dgcn", {}},
          {"dgcn", {"layers=3", "alpha=0.3", "beta=2"}},
          {"digcn", {}},
          {"digcn", {"hops=3", "alpha=0.5", "layers=2"}},
          {"digcn", {"hops=1"}},
          {"sheafnn", {}},
          {"sheafnn", {"stalk_dim=3", "layers=3"}},
          {"sheafan", {}},
          {"sheafan", {"stalk_dim=2", "layers=3", "activation=relu"}},
          {"sheafan-phase", {}},
          {"sheafan-phase", {"q=0.1", "imag_init=copy", "stalk_dim=4"}},
          {"nlsd", {}},
          {"nlsd", {"family=orth", "layers=3", "edge_weights=yes"}},
          {"nlsd", {"family=gen", "activation=none"}},
          {"nlsd-phase", {"activation=relu"}},
          {"nlsd-phase", {"family=orth", "q=0.1"}},
          {"nlsd-phase", {"family=gen", "imag_init=copy", "q=0.3", "stalk_dim=2"}}};
}

inline Config config_of(const Setting& setting) {
  Config config(nn::find_model(setting.model).parameters);
  if (setting.model != "sgc") config.set_text("channels=4");
  for (const std::string& text : setting.settings) config.set_text(text);
  return config;
}

inline std::string name_of(const Setting& setting) {
  return fmt::format("{} {}", setting.model, fmt::join(setting.settings, " "));
}

inline std::unique_ptr<nn::Model> make(const Setting& setting, std::uint64_t seed) {
  auto model = nn::make_model(setting.model, config_of(setting), {kFeatures, kClasses}, seed);
  shake(*model, seed);
  return model;
}

}  // namespace dsnn::testing
