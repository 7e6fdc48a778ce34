// Milliseconds of an epoch (one training step and one evaluation) on the published graphs: DSNN,
// NSD of the same shape and, if LibTorch is installed, the classical code (classical_network.h),
// in one run; with --baselines the models of src/nn/baselines, and the same in a few lines of
// LibTorch (plain_network.h).
#include "dsnn/nn/model.h"
#include "dsnn/train/run_config.h"
#include "dsnn/util/error.h"

#include "libtorch_comparison.h"
#include "timing.h"
#include "train/split_trainer.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/resource.h>

#include <algorithm>
#include <ctime>
#include <exception>
#include <optional>
#include <span>
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

Config config_of(const std::string& model, const std::string& maps) {
  Config config = default_config(model);
  config.set_text("maps=" + maps);
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

/// The shortest of enough epochs to last a second or two: disturbances only make an epoch longer.
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
  measured.set_up_ms =
      1000 * seconds([&] {
        data.emplace(make_training_data(dataset, fit_preparation(dataset, config)));
        trainer.emplace(*data, 0, model, config, /*seed=*/0, engine::Device::cpu(kThreads));
      });
  measured.epoch_ms = best_milliseconds([&] { trainer->run_epoch(kThreads); }, 2);
  return measured;
}

Measured measure_sheaf(const Dataset& dataset, const std::string& model,
                       const std::string& maps = "learned") {
  return measure(dataset, model, config_of(model, maps));
}

/// All models but the sheaf networks.
std::vector<std::string> baseline_names() {
  std::vector<std::string> names;
  for (const nn::ModelEntry& entry : nn::model_registry()) {
    const bool is_sheaf = std::ranges::any_of(
        entry.parameters, [](const Parameter& parameter) { return parameter.name == "stalk_dim"; });
    if (!is_sheaf) names.push_back(entry.name);
  }
  std::ranges::sort(names);
  return names;
}

/// With the defaults of the model, but no more than a few layers.
Json bench_baselines(const std::string& name) {
  Json rows = Json::array();
  const Dataset dataset = read_dataset(find_dataset(name));
  for (const std::string& model : baseline_names()) {
    fmt::print(stderr, "{} {}\n", name, model);
    Config config = default_config(model);
    if (model == "gcnii") config.set_text("layers=8");
    config.set_text("epochs=1000000000");
    config.set_text("patience=1000000000");
    const Measured ours = measure(dataset, model, config);
    Json row = {{"dataset", name},
                {"model", model},
                {"set_up_ms", ours.set_up_ms},
                {"epoch_ms", ours.epoch_ms}};
    if (const auto plain = make_plain_network(dataset, model, config)) {
      const double plain_ms = best_milliseconds([&] { plain->run_epoch(); }, 1);
      row["libtorch_ms"] = plain_ms;
      row["speed_up"] = plain_ms / ours.epoch_ms;
    }
    rows.push_back(row);
  }
  return rows;
}

Json bench_dataset(const std::string& name) {
  Json rows = Json::array();
  const Dataset dataset = read_dataset(find_dataset(name));
  for (const Family& family : kFamilies) {
    fmt::print(stderr, "{} {}\n", name, family.name);
    const Measured dsnn = measure_sheaf(dataset, fmt::format("{}-dsnn", family.name));
    const Measured nsd = measure_sheaf(dataset, fmt::format("{}-nsd", family.name));
    const Measured identity =
        measure_sheaf(dataset, fmt::format("{}-dsnn", family.name), "identity");
    Json row = {{"dataset", name},
                {"family", family.name},
                {"set_up_ms", dsnn.set_up_ms},
                {"dsnn_ms", dsnn.epoch_ms},
                {"identity_ms", identity.epoch_ms},
                {"nsd_ms", nsd.epoch_ms},
                {"over_nsd", dsnn.epoch_ms / nsd.epoch_ms},
                {"peak_mb", peak_megabytes()}};
    if (const auto classical =
            make_classical_network(dataset, {family.family, kDim, kChannels, kLayers, kDropout})) {
      const double classical_ms = best_milliseconds([&] { classical->run_epoch(); }, 3);
      row["classical_ms"] = classical_ms;
      row["speed_up"] = classical_ms / dsnn.epoch_ms;
    }
    rows.push_back(row);
  }
  return rows;
}

/// The processor time of the shortest epoch of each model on one thread, with its defaults: other
/// work on the machine changes it least.
Json bench_costs() {
  const auto processor_seconds = [] {
    return static_cast<double>(std::clock()) / static_cast<double>(CLOCKS_PER_SEC);
  };
  Json rows = Json::array();
  const Dataset dataset = read_dataset(find_dataset("cora"));
  for (const nn::ModelEntry& entry : nn::model_registry()) {
    fmt::print(stderr, "{}\n", entry.name);
    Config config = default_config(entry.name);
    config.set_text("epochs=1000000000");
    config.set_text("patience=1000000000");
    const TrainingData data = make_training_data(dataset, fit_preparation(dataset, config));
    SplitTrainer trainer(data, 0, entry.name, config, /*seed=*/0, engine::Device::cpu(1));
    double best = 1e300, total = 0;
    for (int i = 0; i < 5 || (total < 1 && i < 200); ++i) {
      const double start = processor_seconds();
      trainer.run_epoch(1);
      const double taken = processor_seconds() - start;
      if (i > 1) best = std::min(best, taken);
      total += taken;
    }
    rows.push_back({{"dataset", "cora"}, {"model", entry.name}, {"epoch_ms", 1000 * best}});
  }
  return rows;
}

/// A column of a table. Rows without the key have an empty cell; a column that no row has is left
/// out.
struct Column {
  const char* title;
  const char* key;
  int digits;
  const char* unit;
};

constexpr Column kBaselineColumns[] = {{"dataset", "dataset", 0, ""},
                                       {"model", "model", 0, ""},
                                       {"set-up", "set_up_ms", 0, " ms"},
                                       {"epoch", "epoch_ms", 2, " ms"},
                                       {"in LibTorch", "libtorch_ms", 2, " ms"},
                                       {"speed-up", "speed_up", 1, "x"}};
constexpr Column kSheafColumns[] = {{"dataset", "dataset", 0, ""},
                                    {"maps", "family", 0, ""},
                                    {"set-up", "set_up_ms", 0, " ms"},
                                    {"epoch", "dsnn_ms", 2, " ms"},
                                    {"identity maps", "identity_ms", 2, " ms"},
                                    {"NSD", "nsd_ms", 2, " ms"},
                                    {"classical", "classical_ms", 1, " ms"},
                                    {"speed-up", "speed_up", 1, "x"},
                                    {"DSNN / NSD", "over_nsd", 2, ""}};

std::string cell_text(const Json& row, const Column& column) {
  if (!row.contains(column.key)) return "";
  const Json& cell = row[column.key];
  if (cell.is_string()) return cell.get<std::string>();
  return fmt::format("{:.{}f}{}", cell.get<double>(), column.digits, column.unit);
}

void print_table(const Json& rows, std::span<const Column> all) {
  std::vector<Column> columns;
  for (const Column& column : all) {
    if (std::ranges::any_of(rows, [&](const Json& row) { return row.contains(column.key); })) {
      columns.push_back(column);
    }
  }
  for (const Column& column : columns) fmt::print("| {} ", column.title);
  fmt::print("|\n");
  for (std::size_t i = 0; i < columns.size(); ++i) fmt::print("|---");
  fmt::print("|\n");
  for (const Json& row : rows) {
    for (const Column& column : columns) fmt::print("| {} ", cell_text(row, column));
    fmt::print("|\n");
  }
}

constexpr const char* kUsage =
    "Usage: epoch_bench [--baselines | --costs] [--json] [DATASET...]\n"
    "Milliseconds per epoch of the sheaf networks, or of the other models, next to LibTorch's.\n"
    "--costs: of all models on cora, on one thread (scripts/model-costs.py).\n"
    "The graphs are read from the folder $DSNN_DATA; default: texas, cora,\n"
    "chameleon_filtered and, for the sheaf networks, film.\n";

int run(int argc, char** argv) {
  bool json = false, baselines = false, costs = false;
  std::vector<std::string> names;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--json") {
      json = true;
    } else if (argument == "--baselines") {
      baselines = true;
    } else if (argument == "--costs") {
      costs = true;
    } else if (argument == "-h" || argument == "--help") {
      fmt::print("{}", kUsage);
      return 0;
    } else if (argument.starts_with("-")) {
      fmt::print(stderr, "epoch_bench: {}: no such option\n{}", argument, kUsage);
      return 2;
    } else {
      names.push_back(argument);
    }
  }
  if (names.empty()) {
    names = {"texas", "cora", "chameleon_filtered"};
    // Plain models start from dense matrices of nodes by nodes.
    if (!baselines) names.emplace_back("film");
  }
  use_large_pages_in_libtorch();
  set_libtorch_threads(kThreads);
  if (!has_libtorch()) {
    fmt::print(stderr, "Built without LibTorch: its columns are omitted.\n");
  }
  Json rows = Json::array();
  if (costs) {
    rows = bench_costs();
    names.clear();
  }
  for (const std::string& name : names) {
    for (const Json& row : baselines ? bench_baselines(name) : bench_dataset(name)) {
      rows.push_back(row);
    }
  }
  if (json) {
    fmt::print("{}\n", rows.dump(2));
  } else {
    baselines || costs ? print_table(rows, kBaselineColumns) : print_table(rows, kSheafColumns);
  }
  return 0;
}

}  // namespace
}  // namespace dsnn::bench

int main(int argc, char** argv) {
  try {
    return dsnn::bench::run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "epoch_bench: {}\n", error.what());
    return 1;
  }
}
