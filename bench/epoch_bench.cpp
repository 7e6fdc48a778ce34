// Milliseconds of an epoch (one training step and one evaluation) on the published graphs: ours,
// NSD of the same shape, and the classical way (classical_network.h), in one run. epoch_bench
// [--json] [DATASET...]; the files are looked for in $DSNN_DATA.
#include "dsnn/nn/model.h"
#include "dsnn/ops/memory.h"
#include "dsnn/ops/threads.h"
#include "dsnn/util/error.h"

#include "classical_network.h"
#include "timing.h"
#include "train/split_trainer.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/resource.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

namespace dsnn::bench {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kThreads = 2;
constexpr int kDim = 4, kChannels = 32, kLayers = 4;
constexpr double kDropout = 0.5;

struct Family {
  const char* name;
  MapFamily family;
};
constexpr Family kFamilies[] = {
    {"diag", MapFamily::kDiagonal}, {"orth", MapFamily::kOrthogonal}, {"gen", MapFamily::kGeneral}};

Config config_of(const std::string& model) {
  Config config(nn::find_model(model).parameters);
  for (const std::string& setting :
       {fmt::format("stalk_dim={}", kDim), fmt::format("channels={}", kChannels),
        fmt::format("layers={}", kLayers), fmt::format("dropout={}", kDropout),
        fmt::format("input_dropout={}", kDropout), fmt::format("embed_dropout={}", kDropout),
        std::string("edge_weights=no"), std::string("epochs=1000000000"),
        std::string("patience=1000000000")}) {
    config.set_text(setting);
  }
  return config;
}

double peak_megabytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

/// The shortest of enough epochs to last a second or two: what disturbs an epoch only ever makes it
/// longer.
template <class Epoch>
double best_milliseconds(const Epoch& epoch, double budget) {
  for (int i = 0; i < 2; ++i) epoch();
  std::vector<double> times;
  double total = 0;
  while (times.size() < 3 || (total < budget && times.size() < 1000)) {
    times.push_back(seconds(epoch));
    total += times.back();
  }
  return 1000 * *std::ranges::min_element(times);
}

struct Measured {
  double set_up_ms, epoch_ms;
};

Measured measure(const Dataset& dataset, const std::string& model) {
  const Config config = config_of(model);
  std::optional<TrainingData> data;
  std::optional<SplitTrainer> trainer;
  Measured measured{};
  measured.set_up_ms =
      1000 * seconds([&] {
        data.emplace(TrainingData{nn::Input(ops::Graph(dataset.graph), dataset.features),
                                  dataset.labels, dataset.num_classes});
        trainer.emplace(*data, dataset.splits[0], 0, model, config, 0);
      });
  measured.epoch_ms = best_milliseconds([&] { trainer->run_epoch(); }, 2);
  return measured;
}

Json bench_dataset(const std::string& name) {
  Json rows = Json::array();
  const Dataset dataset = read_dataset(find_dataset(name));
  for (const Family& family : kFamilies) {
    fmt::print(stderr, "{} {}\n", name, family.name);
    const Measured dsnn = measure(dataset, fmt::format("{}-dsnn", family.name));
    const Measured nsd = measure(dataset, fmt::format("{}-nsd", family.name));
    const double memory = peak_megabytes();
    ClassicalNetwork classical(dataset, family.family, kDim, kChannels, kLayers, kDropout);
    const double classical_ms = best_milliseconds([&] { classical.run_epoch(); }, 3);
    rows.push_back({{"dataset", name},
                    {"family", family.name},
                    {"set_up_ms", dsnn.set_up_ms},
                    {"dsnn_ms", dsnn.epoch_ms},
                    {"nsd_ms", nsd.epoch_ms},
                    {"classical_ms", classical_ms},
                    {"speed_up", classical_ms / dsnn.epoch_ms},
                    {"over_nsd", dsnn.epoch_ms / nsd.epoch_ms},
                    {"peak_mb", memory}});
  }
  return rows;
}

void print_table(const Json& rows) {
  fmt::print(
      "| dataset | maps | set-up | epoch | NSD | classical | speed-up | DSNN / NSD |\n"
      "|---|---|---|---|---|---|---|---|\n");
  for (const Json& row : rows) {
    fmt::print("| {} | {} | {:.0f} ms | {:.2f} ms | {:.2f} ms | {:.1f} ms | {:.1f}x | {:.2f} |\n",
               row["dataset"].get<std::string>(), row["family"].get<std::string>(),
               row["set_up_ms"].get<double>(), row["dsnn_ms"].get<double>(),
               row["nsd_ms"].get<double>(), row["classical_ms"].get<double>(),
               row["speed_up"].get<double>(), row["over_nsd"].get<double>());
  }
}

int run(int argc, char** argv) {
  ops::use_large_pages();
  ops::set_num_threads(kThreads);
  bool json = false;
  std::vector<std::string> names;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--json") == 0) {
      json = true;
    } else {
      names.emplace_back(argv[i]);
    }
  }
  if (names.empty()) names = {"texas", "cora", "chameleon_filtered", "film"};
  Json rows = Json::array();
  for (const std::string& name : names) {
    for (const Json& row : bench_dataset(name)) rows.push_back(row);
  }
  if (json) {
    fmt::print("{}\n", rows.dump(2));
  } else {
    print_table(rows);
  }
  return 0;
}

}  // namespace
}  // namespace dsnn::bench

int main(int argc, char** argv) {
  try {
    return dsnn::bench::run(argc, argv);
  } catch (const dsnn::Error& error) {
    fmt::print(stderr, "epoch_bench: {}\n", error.what());
    return 1;
  }
}
