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
#include <limits>
#include <memory>
#include <string>
#include <utility>
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

/// A training, and the shortest of its epochs: disturbances only make an epoch longer.
class Measured {
 public:
  Measured(const Dataset& dataset, const std::string& model, Config config)
      : config_(std::move(config)),
        tasks_(dataset, config_),
        trainer_(tasks_.make(0), 0, model, config_, /*seed=*/0, engine::Device::cpu(kThreads)) {}

  void run_epoch() {
    const double time = seconds([&] { trainer_.run_epoch(kThreads); });
    best_ = std::min(best_, time);
  }
  double milliseconds() const { return 1000 * best_; }

 private:
  Config config_;
  TaskMaker tasks_;
  SplitTrainer trainer_;
  double best_ = std::numeric_limits<double>::infinity();
};

void run(const std::string& name) {
  constexpr double kSeconds = 8;  // for a model with all decoders
  const Dataset dataset = read_dataset(find_dataset(name));
  std::string heading = fmt::format("{:<12}{:>10}", name, "nodes, ms");
  for (const char* decoder : kDecoders) heading += fmt::format("{:>20}", decoder);
  fmt::print("{}\n", heading);
  for (const std::string model : kModels) {
    std::vector<std::unique_ptr<Measured>> all;
    all.push_back(std::make_unique<Measured>(dataset, model, config_of(model, TaskKind::kNodes)));
    for (const char* decoder : kDecoders) {
      Config config = config_of(model, TaskKind::kLinks);
      config.set("decoder", std::string(decoder));
      config.set("protocol", std::string("random"));
      all.push_back(std::make_unique<Measured>(dataset, model, config));
    }
    // In turns, so that other work on the machine disturbs all alike.
    for (double total = 0; total < kSeconds;) {
      total += seconds([&] {
        for (const auto& each : all) each->run_epoch();
      });
    }
    const double nodes = all[0]->milliseconds();
    std::string line = fmt::format("{:<12}{:>10.2f}", model, nodes);
    for (std::size_t i = 1; i < all.size(); ++i) {
      const double links = all[i]->milliseconds();
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
