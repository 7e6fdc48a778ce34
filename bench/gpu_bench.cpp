// Training on a GPU, an epoch at a time, and one diffusion layer (gpu_layer.h): JSON, each with
// its difference from the processor, which is measured before the time.
//
//   gpu_bench [part...]   (default: texas cora chameleon_filtered film dsbm layer)
//
// Further parts: DATASET:MODEL; large-layer, with ten million edges; training-100m, a training on a
// graph with a hundred million edges, which is not compared with the processor.
#include "dsnn/core.h"
#include "dsnn/nn/model.h"
#include "dsnn/train/train.h"
#include "dsnn/util/random.h"

#include "gpu_layer.h"
#include "train/split_trainer.h"
#include "train/training_data.h"
#include "util/duration.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

namespace dsnn::bench {
namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

constexpr const char* kSheaves[] = {"diag-dsnn", "orth-dsnn", "gen-dsnn"};
constexpr const char* kOthers[] = {"gcn",   "gat",    "sage", "gcnii",  "mixhop",
                                   "fagcn", "dirgnn", "mlp",  "magnet", "sigmanet"};

Config endless(Config config) {
  config.set_text("epochs=1000000000");
  config.set_text("patience=1000000000");
  config.set_text("select_by=loss");  // by accuracy, a perfect one ends the training
  return config;
}

Config sheaf_config(const std::string& model) {
  Config config = default_config(model);
  for (const char* setting : {"stalk_dim=4", "channels=32", "layers=4", "dropout=0.5",
                              "input_dropout=0.5", "embed_dropout=0.5", "edge_weights=no"}) {
    config.set_text(setting);
  }
  return endless(config);
}

/// The largest difference of the losses of the first epochs.
double difference(const TrainingData& data, const std::string& model, const Config& config) {
  constexpr int kEpochs = 3;
  std::vector<double> losses;
  for (const char* device : {"cpu", "cuda"}) {
    SplitTrainer trainer(data, 0, model, config, 0, engine::Device::of_word(device, 2));
    while (trainer.result().epochs < kEpochs && trainer.result().failure.empty()) {
      trainer.run_epoch(2, 1);
    }
    if (!trainer.result().failure.empty()) throw Error(trainer.result().failure);
    for (int i = 0; i < kEpochs; ++i) {
      const EpochRecord& record = trainer.records()[static_cast<std::size_t>(i)];
      losses.push_back(record.train_loss);
      losses.push_back(record.validation.loss);
    }
  }
  double worst = 0;
  for (std::size_t i = 0; i < losses.size() / 2; ++i) {
    worst = std::max(worst, std::abs(losses[i] - losses[i + losses.size() / 2]) / losses[i]);
  }
  return worst;
}

Json bench_model(const std::string& dataset, const TrainingData& data, const std::string& model,
                 const Config& config) {
  Json row = {{"dataset", dataset}, {"model", model}};
  try {
    row["difference_from_cpu"] = difference(data, model, config);
    const auto start = Clock::now();
    SplitTrainer trainer(data, 0, model, config, 0, engine::Device::cuda());
    row["set_up_ms"] = 1000 * seconds_since(start);
    const auto first = Clock::now();
    trainer.run_epoch();
    row["first_epoch_ms"] = 1000 * seconds_since(first);
    trainer.run_epoch();  // records
    double shortest = 1e300, total = 0;
    while (total < 0.5 && !trainer.is_finished()) {
      const auto window = Clock::now();
      const std::int64_t before = trainer.result().epochs;
      trainer.run_epoch();
      const double taken = seconds_since(window);
      total += taken;
      shortest = std::min(shortest, taken / static_cast<double>(trainer.result().epochs - before));
    }
    if (!trainer.result().failure.empty()) throw Error(trainer.result().failure);
    row["epoch_ms"] = 1000 * shortest;
  } catch (const std::exception& error) {
    row["failure"] = error.what();
  }
  fmt::print(stderr, "{}\n", row.dump());
  return row;
}

/// All models, or one.
void bench_training(const Dataset& dataset, const std::string& only, Json& rows) {
  const auto start = Clock::now();
  const TrainingData data =
      make_training_data(dataset, fit_preparation(dataset, default_config("diag-dsnn")));
  rows.push_back({{"dataset", dataset.name}, {"data_ms", 1000 * seconds_since(start)}});
  for (const std::string model : kSheaves) {
    if (!only.empty() && model != only) continue;
    rows.push_back(bench_model(dataset.name, data, model, sheaf_config(model)));
  }
  for (const std::string model : kOthers) {
    if (!only.empty() && model != only) continue;
    rows.push_back(bench_model(dataset.name, data, model, endless(default_config(model))));
  }
}

Dataset dsbm() {
  DsbmOptions options;
  options.num_nodes = 2500;
  options.num_communities = 5;
  options.alpha_in = 0.1;
  options.alpha_out = 0.1;
  options.beta = 0.2;
  options.seed = 1;
  Dataset dataset;
  dataset.name = "dsbm";
  dataset.graph = DirectedGraph::from_arcs(options.num_nodes, sample_dsbm(options));
  dataset.labels = dsbm_communities(options);
  dataset.num_classes = options.num_communities;
  dataset.features = Features::dense(options.num_nodes, 2, {});
  for (NodeId u = 0; u < options.num_nodes; ++u) {
    dataset.features.values.push_back(static_cast<float>(dataset.graph.degree(u)));
    dataset.features.values.push_back(1);
  }
  dataset.splits = stratified_splits(dataset.labels, options.num_communities, {0.6, 0.2}, 1, 0);
  return dataset;
}

/// A random graph with features of its nodes, on which a sheaf network of two layers trains.
Json bench_large_training(NodeId nodes, std::int64_t edges) {
  Random random(1);
  Dataset dataset;
  dataset.name = "random";
  {
    std::vector<Arc> arcs(static_cast<std::size_t>(edges));
    for (Arc& arc : arcs) {
      arc.source = static_cast<NodeId>(random.below(static_cast<std::uint64_t>(nodes)));
      arc.target = static_cast<NodeId>(random.below(static_cast<std::uint64_t>(nodes)));
    }
    dataset.graph = DirectedGraph::from_arcs(nodes, arcs);
  }
  dataset.num_classes = 2;
  dataset.features = Features::dense(nodes, 1, {});
  for (NodeId u = 0; u < nodes; ++u) {
    dataset.labels.push_back(static_cast<std::int32_t>(random.below(2)));
    dataset.features.values.push_back(static_cast<float>(dataset.labels.back()) +
                                      static_cast<float>(random.uniform(-1, 1)));
  }
  dataset.splits = stratified_splits(dataset.labels, 2, {0.6, 0.2}, 1, 0);
  Config config = default_config("diag-dsnn");
  for (const char* setting : {"stalk_dim=2", "channels=16", "layers=2", "edge_weights=no"}) {
    config.set_text(setting);
  }
  config = endless(config);
  const std::int64_t num_edges = dataset.graph.num_edges();
  const TrainingData data = make_training_data(dataset, fit_preparation(dataset, config));
  const auto start = Clock::now();
  SplitTrainer trainer(data, 0, "diag-dsnn", config, 0, engine::Device::cuda());
  trainer.run_epoch(1, 1);
  const double first = seconds_since(start);
  trainer.run_epoch(1, 1);  // records
  const auto begin = Clock::now();
  constexpr std::int64_t kEpochs = 5;
  for (std::int64_t i = 0; i < kEpochs; ++i) trainer.run_epoch(1, 1);
  const double seconds = seconds_since(begin) / kEpochs;
  if (!trainer.result().failure.empty()) throw Error(trainer.result().failure);
  const Json row = {{"training", "diag-dsnn"},
                    {"nodes", nodes},
                    {"edges", num_edges},
                    {"set_up_and_first_epoch_ms", 1000 * first},
                    {"epoch_ms", 1000 * seconds},
                    {"first_loss", trainer.records().front().train_loss},
                    {"last_loss", trainer.records().back().train_loss}};
  fmt::print(stderr, "{}\n", row.dump());
  return row;
}

int run(const std::vector<std::string>& parts) {
  Json rows = Json::array();
  for (const std::string& part : parts) {
    if (part == "layer") {
      rows.push_back(bench_layer(MapFamily::kDiagonal, "diagonal", 100'000, 1'000'000));
      rows.push_back(bench_layer(MapFamily::kOrthogonal, "orthogonal", 100'000, 1'000'000));
      rows.push_back(bench_layer(MapFamily::kGeneral, "general", 100'000, 1'000'000));
    } else if (part == "large-layer") {
      rows.push_back(bench_layer(MapFamily::kDiagonal, "diagonal", 1'000'000, 10'000'000));
    } else if (part == "training-100m") {
      rows.push_back(bench_large_training(10'000'000, 100'000'000));
    } else {
      const std::string name = part.substr(0, part.find(':'));
      const std::string model = name == part ? "" : part.substr(name.size() + 1);
      bench_training(name == "dsbm" ? dsbm() : read_dataset(find_dataset(name)), model, rows);
    }
  }
  const Json json = {{"gpu", engine::Device::cuda().name()}, {"rows", rows}};
  fmt::print("{}\n", json.dump(1));
  return 0;
}

}  // namespace
}  // namespace dsnn::bench

int main(int argc, char** argv) {
  std::vector<std::string> parts(argv + 1, argv + argc);
  if (parts.empty()) parts = {"texas", "cora", "chameleon_filtered", "film", "dsbm", "layer"};
  try {
    return dsnn::bench::run(parts);
  } catch (const std::exception& error) {
    fmt::print(stderr, "gpu_bench: {}\n", error.what());
    return 1;
  }
}
