#pragma once

#include "dsnn/data/dataset.h"
#include "dsnn/data/splits.h"
#include "dsnn/graph/dsbm.h"
#include "dsnn/nn/model.h"
#include "dsnn/train/train.h"
#include "dsnn/util/random.h"

#include <fmt/format.h>

#include <string>
#include <vector>

namespace dsnn::testing {

/// Three communities that differ only in the direction of arcs between them.
inline Dataset communities(NodeId num_nodes = 150) {
  DsbmOptions options;
  options.num_nodes = num_nodes;
  options.num_communities = 3;
  options.alpha_in = 0.2;
  options.alpha_out = 0.2;
  options.beta = 0.05;
  options.seed = 1;
  Dataset dataset;
  dataset.name = "communities";
  dataset.usual_scale =
      FeatureScale::kNone;  // no degree columns either: they would distinguish communities
  dataset.graph = DirectedGraph::from_arcs(options.num_nodes, sample_dsbm(options));
  dataset.labels = dsbm_communities(options);
  dataset.num_classes = 3;
  dataset.features = Features::dense(options.num_nodes, 1, {});
  for (NodeId u = 0; u < options.num_nodes; ++u) {
    dataset.features.values.push_back(static_cast<float>(dataset.graph.degree(u)));
  }
  dataset.splits = stratified_splits(dataset.labels, 3, {0.6, 0.2}, 4, 0);
  return dataset;
}

/// The defaults of a model, smaller, with some settings.
inline TrainOptions options_of(const std::vector<std::string>& settings,
                               const std::string& model = "diag-dsnn") {
  TrainOptions options;
  options.model = model;
  options.config = default_config(model);
  options.config.set_text("channels=8");
  for (const std::string& setting : settings) options.config.set_text(setting);
  return options;
}

/// Everything that must be the same between two runs, with all digits.
inline std::string digest(const std::vector<SplitResult>& results) {
  std::string text;
  for (const SplitResult& r : results) {
    text += fmt::format("{} {} {} {:a} {:a} {:a} {:a} {:a}\n", r.split, r.best_epoch, r.epochs,
                        r.validation.accuracy, r.validation.loss, r.test.accuracy, r.test.loss,
                        r.test.macro_f1);
  }
  return text;
}

/// Sometimes truncated, with a few bytes changed.
inline std::string damaged(std::string bytes, Random& random) {
  if (random.uniform() < 0.3) bytes.resize(random.below(bytes.size()));
  for (std::uint64_t i = random.below(4) + 1; i > 0 && !bytes.empty(); --i) {
    bytes[random.below(bytes.size())] = static_cast<char>(random.below(256));
  }
  return bytes;
}

}  // namespace dsnn::testing
