// Milliseconds of an epoch (one training step and one evaluation) of link training and of node
// classification of the same network, and their ratio: on cora_ml, with as many pairs without an
// arc as arcs, drawn in each epoch. Usage: link_bench [dataset].
#include "dsnn/train/run_config.h"
#include "dsnn/util/error.h"

#include "timing.h"
#include "train/split_trainer.h"
#include "train/task_maker.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <string>
#include <vector>

namespace dsnn::bench {
namespace {

constexpr int kThreads = 2;
constexpr const char* kModels[] = {"diag-dsnn", "orth-dsnn", "gen-dsnn", "magnet",
                                   "sigmanet",  "dirgnn",    "gat",      "gcn"};
constexpr const char* kDecoders[] = {"inner", "bilinear", "dual", "mlp"};

Config config_of(const std::string& model, TaskKind task) {
  Config config = default_config(model, task);
  config.set_text("epochs=1000000000");
  config.set_text("patience=1000000000");
  config.set_text("select_by=loss");  // an accuracy of 1 would end the training
  return config;
}

/// The shortest of the epochs of about a second.
double epoch_milliseconds(const Dataset& dataset, const std::string& model, const Config& config) {
  const TaskMaker tasks(dataset, config);
  SplitTrainer trainer(tasks.make(0), 0, model, config, /*seed=*/0, engine::Device::cpu(kThreads));
  for (int i = 0; i < 3; ++i) trainer.run_epoch(kThreads);
  std::vector<double> times;
  for (double total = 0; times.size() < 5 || total < 1; total += times.back()) {
    times.push_back(seconds([&] { trainer.run_epoch(kThreads); }));
  }
  return 1000 * *std::ranges::min_element(times);
}

void run(const std::string& name) {
  const Dataset dataset = read_dataset(find_dataset(name));
  std::string heading = fmt::format("{:<12}{:>10}", name, "nodes, ms");
  for (const char* decoder : kDecoders) heading += fmt::format("{:>20}", decoder);
  fmt::print("{}\n", heading);
  for (const std::string model : kModels) {
    const double nodes = epoch_milliseconds(dataset, model, config_of(model, TaskKind::kNodes));
    std::string line = fmt::format("{:<12}{:>10.2f}", model, nodes);
    for (const char* decoder : kDecoders) {
      Config config = config_of(model, TaskKind::kLinks);
      config.set("decoder", std::string(decoder));
      config.set("protocol", std::string("random"));
      const double links = epoch_milliseconds(dataset, model, config);
      line += fmt::format("{:>10.2f} ({:4.2f} x)", links, links / nodes);
    }
    fmt::print("{}\n", line);
  }
}

}  // namespace
}  // namespace dsnn::bench

int main(int argc, char** argv) {
  try {
    dsnn::bench::run(argc > 1 ? argv[1] : "cora_ml");
  } catch (const std::exception& error) {
    fmt::print(stderr, "link_bench: {}\n", error.what());
    return 1;
  }
}
