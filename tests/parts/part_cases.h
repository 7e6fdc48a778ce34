#pragma once

#include "dsnn/data/dataset.h"
#include "dsnn/engine/operators/linear.h"
#include "dsnn/parts/halo.h"
#include "dsnn/parts/part_program.h"
#include "dsnn/parts/partition.h"
#include "dsnn/parts/ranks.h"

#include "nn/baseline_cases.h"
#include "support/random_graphs.h"
#include "support/run_model.h"
#include "util/index.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

// A model on a whole graph and on its parts: the loss and its gradients must be the same.

namespace dsnn::testing {

/// A random graph of all kinds, sometimes with a hub, with features, labels and training nodes.
inline Dataset random_dataset(std::uint64_t seed, GraphKind kind, NodeId max_nodes = 16) {
  Random random(seed);
  RandomArcs arcs = random_arcs(seed, kind, max_nodes);
  if (random.uniform() < 0.4) {  // a star around node 0
    for (NodeId v = 1; v < arcs.num_nodes; ++v) {
      const bool is_out = random.uniform() < 0.5;
      arcs.arcs.push_back(is_out ? Arc{0, v} : Arc{v, 0});
      if (!arcs.weights.empty()) arcs.weights.push_back(random.uniform(0.5, 2));
    }
  }
  Dataset dataset;
  dataset.name = "random";
  dataset.graph = arcs.graph();
  const std::int64_t n = arcs.num_nodes;
  const bool is_sparse = random.uniform() < 0.5;
  std::vector<float> values;
  for (std::int64_t i = 0; i < n * kFeatures; ++i) {
    const bool is_zero = is_sparse && random.uniform() < 0.9;
    values.push_back(is_zero ? 0.0f : static_cast<float>(random.uniform(-1, 1)));
  }
  dataset.features = Features::dense(n, kFeatures, values);
  dataset.num_classes = kClasses;
  Split split;
  for (std::int64_t u = 0; u < n; ++u) {
    dataset.labels.push_back(static_cast<std::int64_t>(random.below(kClasses)));
    split.train.push_back(u == 0 || random.uniform() < 0.5 ? 1 : 0);
    split.validation.push_back(split.train.back() == 0 && random.uniform() < 0.5 ? 1 : 0);
    split.test.push_back(split.train.back() + split.validation.back() == 0 ? 1 : 0);
  }
  dataset.splits = {split};
  return dataset;
}

/// Any part for any node; sometimes a part has none.
inline Partition random_partition(NodeId num_nodes, int num_parts, Random& random) {
  const auto most = random.below(static_cast<std::uint64_t>(num_parts)) + 1;
  Partition partition;
  for (NodeId u = 0; u < num_nodes; ++u) {
    partition.push_back(static_cast<std::int32_t>(random.below(most)));
  }
  return partition;
}

inline std::vector<std::int64_t> training_nodes(const Dataset& data) {
  std::vector<std::int64_t> nodes;
  for (std::size_t u = 0; u < data.labels.size(); ++u) {
    if (data.splits[0].train[u] != 0 && data.labels[u] >= 0) {
      nodes.push_back(static_cast<std::int64_t>(u));
    }
  }
  return nodes;
}

template <class T>
struct LossAndGradients {
  double loss = 0;
  std::vector<T> gradients;
  std::int64_t bytes_foretold = 0, bytes_counted = 0;  // of a part, in the passes

  Numbers numbers() const { return {gradients.begin(), gradients.end()}; }
};

/// With dropout, of a whole graph or, with a halo, of all parts.
template <class T>
LossAndGradients<T> loss_and_gradients(const nn::Model& model, const Dataset& data,
                                       const std::shared_ptr<const Halo>& halo = {}) {
  constexpr std::uint64_t kSeed = 5;
  const nn::Input input(engine::Graph(data.graph), data.features, halo);
  const std::vector<std::int64_t> nodes = training_nodes(data);
  std::int64_t total = std::ssize(nodes);
  if (halo) total = halo->ranks().sum(total);
  engine::Program program;
  if (halo) program.set_rewriter(part_rewriter(halo));
  const engine::Value logits = model.forward(input, {program, true});
  const engine::Value loss = engine::cross_entropy(logits, data.labels, nodes, total);
  program.keep(loss);
  program.differentiate(loss);
  const std::vector<T> weights(model.weights().initial().begin(), model.weights().initial().end());
  LossAndGradients<T> result;
  result.gradients.resize(weights.size());
  engine::Session<T> session(program, engine::Device::cpu(1), weights, result.gradients);
  const std::int64_t before = halo ? halo->ranks().bytes_sent() : 0;
  session.forward(kSeed);
  result.loss = static_cast<double>(session.numbers(loss)[0]);
  session.backward();
  if (!halo) return result;
  result.bytes_counted = halo->ranks().bytes_sent() - before;
  result.bytes_foretold = bytes_sent(fetches(program), *halo, sizeof(T));
  result.loss = halo->ranks().sum(result.loss);
  halo->ranks().sum(std::span(result.gradients));
  return result;
}

/// All settings of models that can be trained in parts.
inline std::vector<Setting> part_settings() {
  std::vector<Setting> settings;
  for (const Setting& setting : all_settings()) {
    if (nn::find_model(setting.model).needs_whole_graph.empty()) settings.push_back(setting);
  }
  for (const char* field : {"dsnn", "nsd", "nsd-compl"}) {
    for (const char* family : {"diag", "orth", "gen"}) {
      const std::string model = std::string(family) + "-" + field;
      settings.push_back({model, {"stalk_dim=2"}});
      settings.push_back({model, {"stalk_dim=3", "low_pass=yes", "high_pass=yes", "dropout=0.3"}});
    }
  }
  settings.push_back({"diag-dsnn", {"maps=identity"}});
  settings.push_back({"diag-dsnn", {"maps=identity", "low_pass=yes"}});
  settings.push_back({"diag-nsd", {"maps=identity"}});
  settings.push_back({"gen-dsnn", {"maps=random"}});
  settings.push_back({"orth-dsnn", {"learner=pooled", "normalise=exact", "orth_map=cayley"}});
  settings.push_back({"diag-dsnn", {"q=learn", "dropout_planes=merged", "order=3"}});
  settings.push_back({"diag-dsnn", {"share_sheaf=yes", "diagonal=drop", "embed_dropout=0.5"}});
  settings.push_back({"gen-dsnn", {"imag_init=copy", "separate_imag_weights=yes", "q=learn"}});
  settings.push_back({"orth-nsd-compl", {"second_linear=yes", "input_dropout=0.4", "layers=3"}});
  return settings;
}

/// The largest relative difference between the whole graph and its parts.
template <class T>
double difference(const nn::Model& model, const Dataset& whole, const LossAndGradients<T>& expected,
                  const Partition& partition, Ranks& ranks) {
  Part part = make_part(whole, {}, partition, ranks.rank());
  const auto halo = std::make_shared<const Halo>(part.nodes, part.data.graph, ranks);
  const LossAndGradients<T> got = loss_and_gradients<T>(model, part.data, halo);
  const double of_loss = std::abs(got.loss - expected.loss) / std::max(1.0, expected.loss);
  const double foretold = got.bytes_counted == got.bytes_foretold ? 0 : 1e300;
  return std::max({of_loss, foretold, relative_error(got.numbers(), expected.numbers())});
}

}  // namespace dsnn::testing
