#pragma once

#include "dsnn/config/config.h"
#include "dsnn/data/features.h"
#include "dsnn/nn/model.h"
#include "dsnn/sheaf/sheaf.h"

#include "support/random_graphs.h"
#include "support/run_model.h"

#include <cstdint>
#include <string>
#include <vector>

// The nine sheaf networks, and graphs to test them on.

namespace dsnn::testing {

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
    RandomArcs arcs;
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
  nn::Input input() const { return nn::Input(engine::Graph(graph), features); }
  Numbers numbers() const { return {features.values.begin(), features.values.end()}; }
};

inline Config config_of(const std::string& model, const std::vector<std::string>& settings) {
  Config config(nn::find_model(model).parameters);
  config.set_text("channels=3");
  for (const std::string& setting : settings) {
    const bool is_charge = setting.starts_with("q=");
    if (!is_charge || model.ends_with("-dsnn")) config.set_text(setting);  // others have none
  }
  return config;
}

/// The layer of the paper, whatever the defaults are, and these.
inline std::vector<std::string> paper_layer_and(const std::vector<std::string>& settings) {
  std::vector<std::string> all = {
      "stalk_dim=3",    "layers=2",      "q=0.25",         "low_pass=no",     "high_pass=no",
      "sheaf_act=tanh", "diagonal=keep", "imag_init=zero", "activation=relu", "input_act=elu"};
  all.insert(all.end(), settings.begin(), settings.end());
  return all;
}

}  // namespace dsnn::testing
