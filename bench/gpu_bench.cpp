// Training on a GPU, an epoch at a time, and one diffusion layer on a large graph: JSON, each with
// its difference from the processor, which is measured before the time.
//
//   gpu_bench [part...]   (default: texas cora chameleon_filtered film dsbm layer)
#include "dsnn/core.h"
#include "dsnn/engine/operators/linear.h"
#include "dsnn/engine/operators/sheaf.h"
#include "dsnn/engine/session.h"
#include "dsnn/nn/model.h"
#include "dsnn/train/train.h"
#include "dsnn/util/random.h"

#include "kernels/gpu.h"
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
#include <optional>
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
    while (total < 0.5) {
      const auto window = Clock::now();
      const std::int64_t before = trainer.result().epochs;
      trainer.run_epoch();
      const double taken = seconds_since(window);
      total += taken;
      shortest = std::min(shortest, taken / static_cast<double>(trainer.result().epochs - before));
    }
    row["epoch_ms"] = 1000 * shortest;
  } catch (const std::exception& error) {
    row["failure"] = error.what();
  }
  fmt::print(stderr, "{}\n", row.dump());
  return row;
}

void bench_training(const Dataset& dataset, Json& rows) {
  const auto start = Clock::now();
  const TrainingData data =
      make_training_data(dataset, fit_preparation(dataset, default_config("diag-dsnn")));
  rows.push_back({{"dataset", dataset.name}, {"data_ms", 1000 * seconds_since(start)}});
  for (const char* model : kSheaves) {
    rows.push_back(bench_model(dataset.name, data, model, sheaf_config(model)));
  }
  for (const char* model : kOthers) {
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

/// One layer y = L x with its maps, forward and backward.
Json bench_layer(MapFamily family, const char* name, std::int64_t nodes, std::int64_t edges) {
  constexpr std::int64_t kDim = 4, kChannels = 32;
  Random random(1);
  std::vector<Arc> arcs;
  for (std::int64_t i = 0; i < edges; ++i) {
    const auto node = [&] {
      return static_cast<NodeId>(random.below(static_cast<std::uint64_t>(nodes)));
    };
    const NodeId from = node(), to = node();
    arcs.push_back({from, to});
  }
  const engine::Graph graph(DirectedGraph::from_arcs(static_cast<NodeId>(nodes), arcs));
  const std::int64_t half_edges = graph.directed().num_half_edges();
  const bool is_diagonal = family == MapFamily::kDiagonal;
  std::vector<engine::Weight> weights;
  std::int64_t size = 0;
  const auto weight = [&](const char* what, engine::Shape shape) {
    weights.push_back({what, shape, size});
    size += engine::num_numbers(shape);
    return weights.back();
  };
  const engine::Shape map_shape =
      is_diagonal ? engine::Shape{half_edges, kDim} : engine::Shape{half_edges, kDim, kDim};
  engine::Program program;
  const engine::Value x = program.parameter(weight("x", {2, nodes, kDim, kChannels}));
  const engine::Value maps = program.parameter(weight("maps", map_shape));
  const engine::Value charge = program.parameter(weight("charge", {}));
  const engine::Value y =
      engine::sheaf_diffusion(x, maps, {}, charge, graph, {family, Normalisation::kAugmented, {}});
  const std::int64_t count = engine::num_numbers(y.shape());
  const engine::Value factors = program.parameter(weight("factors", {count, 1}));
  const engine::Value loss = engine::linear(program.reshape(y, {1, count}), factors);
  program.keep(loss);
  program.differentiate(loss);
  std::vector<float> values(static_cast<std::size_t>(size)), gradients(values.size());
  for (float& value : values) value = static_cast<float>(random.uniform(-1, 1));

  engine::Session<float> expected(program, engine::Device::cpu(2), values, gradients);
  expected.forward();
  expected.backward();
  const double expected_loss = static_cast<double>(expected.numbers(loss)[0]);
  const engine::Device device = engine::Device::cuda();
  const kernels::Gpu& gpu = *device.gpu();
  const kernels::GpuArray<float> on_gpu(gpu, std::span<const float>(values)),
      gradients_on_gpu(gpu, values.size());
  engine::Session<float> session(program, device, {on_gpu.data(), on_gpu.size()},
                                 {gradients_on_gpu.data(), values.size()}, {},
                                 engine::Memory::kDevice);
  session.forward();
  session.backward();
  std::vector<float> got(values.size());
  gradients_on_gpu.download(got);
  double worst = 0, largest = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    worst = std::max(worst, std::abs(static_cast<double>(got[i]) - gradients[i]));
    largest = std::max(largest, std::abs(static_cast<double>(gradients[i])));
  }
  const auto timed = [&](bool with_backward) {
    double shortest = 1e300;
    for (int i = 0; i < 20; ++i) {
      gpu.wait();
      const auto start = Clock::now();
      session.start_forward();
      if (with_backward) session.backward();
      gpu.wait();
      shortest = std::min(shortest, seconds_since(start));
    }
    return 1000 * shortest;
  };
  const Json row = {
      {"layer", name},
      {"edges", graph.directed().num_edges()},
      {"loss_difference", std::abs(static_cast<double>(session.numbers(loss)[0]) - expected_loss) /
                              std::max(1.0, std::abs(expected_loss))},
      {"gradient_difference", worst / largest},
      {"forward_ms", timed(false)},
      {"forward_backward_ms", timed(true)},
      {"arena_mb", static_cast<double>(session.plan().size) * 4e-6},
      {"kept_mb", static_cast<double>(gpu.bytes_kept()) * 1e-6}};
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
    } else {
      bench_training(part == "dsbm" ? dsbm() : read_dataset(find_dataset(part)), rows);
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
