// Milliseconds of an epoch (one training step and one evaluation) on the published graphs: DSNN,
// NSD of the same shape, and the classical way (classical_network.h), in one run; with --baselines
// the models of src/nn/baselines, and the same in a few lines of LibTorch (plain_network.h).
// epoch_bench [--baselines] [--json] [DATASET...]; the files are looked for in $DSNN_DATA.
#include "dsnn/nn/model.h"
#include "dsnn/ops/memory.h"
#include "dsnn/ops/threads.h"
#include "dsnn/util/error.h"

#include "classical_network.h"
#include "plain_network.h"
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

Measured measure(const Dataset& dataset, const std::string& model, const Config& config) {
  std::optional<TrainingData> data;
  std::optional<SplitTrainer> trainer;
  Measured measured{};
  measured.set_up_ms = 1000 * seconds([&] {
                         data.emplace(make_training_data(dataset, config));
                         trainer.emplace(*data, data->splits[0], 0, model, config, 0);
                       });
  measured.epoch_ms = best_milliseconds([&] { trainer->run_epoch(); }, 2);
  return measured;
}

Measured measure_sheaf(const Dataset& dataset, const std::string& model) {
  return measure(dataset, model, config_of(model));
}

/// With the defaults of the model, but no more than a few layers.
Json bench_baselines(const std::string& name) {
  Json rows = Json::array();
  const Dataset dataset = read_dataset(find_dataset(name));
  for (const auto& [model, plain] : testing::plain_baselines()) {
    fmt::print(stderr, "{} {}\n", name, model);
    Config config(nn::find_model(model).parameters);
    if (model == "gcnii") config.set_text("layers=8");
    config.set_text("epochs=1000000000");
    config.set_text("patience=1000000000");
    const Measured ours = measure(dataset, model, config);
    PlainNetwork network(dataset, model, config);
    const double plain_ms = best_milliseconds([&] { network.run_epoch(); }, 1);
    rows.push_back({{"dataset", name},
                    {"model", model},
                    {"set_up_ms", ours.set_up_ms},
                    {"epoch_ms", ours.epoch_ms},
                    {"libtorch_ms", plain_ms},
                    {"speed_up", plain_ms / ours.epoch_ms}});
  }
  return rows;
}

void print_baselines(const Json& rows) {
  fmt::print(
      "| dataset | model | set-up | epoch | in LibTorch | speed-up |\n|---|---|---|---|---|---|\n");
  for (const Json& row : rows) {
    fmt::print("| {} | {} | {:.0f} ms | {:.2f} ms | {:.2f} ms | {:.1f}x |\n",
               row["dataset"].get<std::string>(), row["model"].get<std::string>(),
               row["set_up_ms"].get<double>(), row["epoch_ms"].get<double>(),
               row["libtorch_ms"].get<double>(), row["speed_up"].get<double>());
  }
}

Json bench_dataset(const std::string& name) {
  Json rows = Json::array();
  const Dataset dataset = read_dataset(find_dataset(name));
  for (const Family& family : kFamilies) {
    fmt::print(stderr, "{} {}\n", name, family.name);
    const Measured dsnn = measure_sheaf(dataset, fmt::format("{}-dsnn", family.name));
    const Measured nsd = measure_sheaf(dataset, fmt::format("{}-nsd", family.name));
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
  bool json = false, baselines = false;
  std::vector<std::string> names;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--json") == 0) {
      json = true;
    } else if (std::strcmp(argv[i], "--baselines") == 0) {
      baselines = true;
    } else {
      names.emplace_back(argv[i]);
    }
  }
  if (names.empty()) {
    names = {"texas", "cora", "chameleon_filtered"};
    // Plain models start from dense matrices of nodes by nodes.
    if (!baselines) names.emplace_back("film");
  }
  Json rows = Json::array();
  for (const std::string& name : names) {
    for (const Json& row : baselines ? bench_baselines(name) : bench_dataset(name)) {
      rows.push_back(row);
    }
  }
  if (json) {
    fmt::print("{}\n", rows.dump(2));
  } else {
    baselines ? print_baselines(rows) : print_table(rows);
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
