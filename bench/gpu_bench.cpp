// Training on a GPU, an epoch at a time, and one diffusion layer on a large graph: JSON, each with
// its difference from the processor, which is measured before the time.
//
//   gpu_bench [part...]   (default: texas cora chameleon_filtered film dsbm layer)
#include "dsnn/core.h"
#include "dsnn/engine/operators/sheaf.h"
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
#include <memory>
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

/// An operator with its arrays on a device.
class Stage {
 public:
  Stage(engine::OperatorPtr op, engine::Shapes shapes, const engine::Device& device)
      : op_(std::move(op)), shapes_(std::move(shapes)), device_(device) {
    results_ = op_->infer(shapes_);
    for (std::size_t i = 0; i < shapes_.size(); ++i) grads_of_inputs.push_back(array(shapes_, i));
    for (std::size_t i = 0; i < results_.size(); ++i) outputs.push_back(array(results_, i));
  }
  std::vector<float*> outputs, grads_of_inputs;

  float* array(const engine::Shapes& shapes, std::size_t i) {
    if (!shapes.has(i)) return nullptr;
    const auto size = static_cast<std::size_t>(engine::num_numbers(shapes[i]));
    bytes_ += size * sizeof(float);
    arrays_.push_back(std::make_unique<engine::Arena>(device_));
    arrays_.back()->reserve(std::max<std::size_t>(size, 1) * sizeof(float));
    return static_cast<float*>(arrays_.back()->data());
  }
  void forward(const std::vector<const float*>& inputs) const {
    start();
    op_->forward(engine::Call<float>{device_.executor(), 0, shapes_, results_, inputs, outputs});
  }
  void backward(const std::vector<const float*>& inputs,
                const std::vector<const float*>& grads) const {
    start();
    op_->backward(engine::Call<float>{device_.executor(), 0, shapes_, results_, inputs, outputs,
                                      grads, grads_of_inputs});
  }
  const engine::Shapes& results() const { return results_; }
  double megabytes() const { return static_cast<double>(bytes_) * 1e-6; }

 private:
  void start() const {
    if (device_.gpu() != nullptr) device_.gpu()->start_step();
  }

  engine::OperatorPtr op_;
  engine::Shapes shapes_, results_;
  engine::Device device_;
  std::vector<std::unique_ptr<engine::Arena>> arrays_;
  std::size_t bytes_ = 0;
};

/// One layer y = L x with its maps, forward and backward.
struct Layer {
  Stage maps, diffusion;
  float *given_maps, *x, *grad;

  Layer(const engine::Graph& graph, MapFamily family, const engine::Shape& map_shape,
        const engine::Shape& x_shape, const engine::Device& device)
      : maps(engine::scaled_maps_operator(graph, {family, Normalisation::kAugmented, {}}),
             with_none(map_shape), device),
        diffusion(engine::scaled_diffusion_operator(graph),
                  {x_shape, maps.results()[0], maps.results()[1], engine::Shape{1}}, device),
        given_maps(maps.array({map_shape}, 0)),
        x(maps.array({x_shape}, 0)),
        grad(maps.array({x_shape}, 0)) {}
  static engine::Shapes with_none(const engine::Shape& shape) {
    engine::Shapes shapes = {shape};
    shapes.add(std::nullopt);
    return shapes;
  }
  void forward(const float* charge) const {
    maps.forward({given_maps, nullptr});
    diffusion.forward({x, maps.outputs[0], maps.outputs[1], charge});
  }
  void backward(const float* charge) const {
    diffusion.backward({x, maps.outputs[0], maps.outputs[1], charge}, {grad});
    maps.backward({given_maps, nullptr},
                  {diffusion.grads_of_inputs[1], diffusion.grads_of_inputs[2], nullptr, nullptr});
  }
};

Json bench_layer(MapFamily family, const char* name, std::int64_t nodes, std::int64_t edges) {
  constexpr std::int64_t kDim = 4, kChannels = 32;
  Random random(1);
  std::vector<Arc> arcs;
  for (std::int64_t i = 0; i < edges; ++i) {
    const auto below = static_cast<std::uint64_t>(nodes);
    const auto from = static_cast<NodeId>(random.below(below));
    arcs.push_back({from, static_cast<NodeId>(random.below(below))});
  }
  const engine::Graph graph(DirectedGraph::from_arcs(static_cast<NodeId>(nodes), arcs));
  const std::int64_t count = graph.directed().num_half_edges();
  engine::Shape map_shape = {count, kDim};
  if (family != MapFamily::kDiagonal) map_shape.push_back(kDim);
  const engine::Shape x_shape = {2, nodes, kDim, kChannels};
  const engine::Device processor = engine::Device::cpu(2), device = engine::Device::cuda();
  const kernels::Gpu& gpu = *device.gpu();
  const Layer expected(graph, family, map_shape, x_shape, processor);
  const Layer layer(graph, family, map_shape, x_shape, device);
  const auto size = [](const engine::Shape& shape) {
    return static_cast<std::size_t>(engine::num_numbers(shape));
  };
  const auto fill = [&](float* here, float* there, std::size_t length) {
    for (std::size_t i = 0; i < length; ++i) here[i] = static_cast<float>(random.uniform(-1, 1));
    gpu.upload(there, here, length * sizeof(float));
  };
  fill(expected.given_maps, layer.given_maps, size(map_shape));
  fill(expected.x, layer.x, size(x_shape));
  fill(expected.grad, layer.grad, size(x_shape));
  const float charge = 0.2F;
  const kernels::GpuArray<float> charge_on_gpu(gpu, std::span<const float>(&charge, 1));
  expected.forward(&charge);
  expected.backward(&charge);
  layer.forward(charge_on_gpu.data());
  layer.backward(charge_on_gpu.data());
  const auto difference = [&](const float* a, const float* on_gpu, std::size_t length) {
    std::vector<float> b(length);
    gpu.download(b.data(), on_gpu, length * sizeof(float));
    double worst = 0, largest = 0;
    for (std::size_t i = 0; i < length; ++i) {
      worst = std::max(worst, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
      largest = std::max(largest, std::abs(static_cast<double>(a[i])));
    }
    return worst / largest;
  };
  const auto timed = [&](bool with_backward) {
    gpu.start_recording();  // as in training
    layer.forward(charge_on_gpu.data());
    if (with_backward) layer.backward(charge_on_gpu.data());
    const auto recording = gpu.finish_recording();
    double shortest = 1e300;
    for (int i = 0; i < 20; ++i) {
      gpu.wait();
      const auto start = Clock::now();
      gpu.replay(*recording);
      gpu.wait();
      shortest = std::min(shortest, seconds_since(start));
    }
    return 1000 * shortest;
  };
  const Json row = {
      {"layer", name},
      {"edges", graph.directed().num_edges()},
      {"output_difference",
       difference(expected.diffusion.outputs[0], layer.diffusion.outputs[0], size(x_shape))},
      {"gradient_difference", difference(expected.maps.grads_of_inputs[0],
                                         layer.maps.grads_of_inputs[0], size(map_shape))},
      {"forward_ms", timed(false)},
      {"forward_backward_ms", timed(true)},
      {"arrays_mb", layer.maps.megabytes() + layer.diffusion.megabytes()},
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
