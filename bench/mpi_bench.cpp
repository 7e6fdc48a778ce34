// Epochs on a graph in parts: time, memory and messages of each rank, as JSON by rank 0. Run by
// bench/mpi.py, or: mpirun -n K mpi_bench PARTS MODEL EPOCHS; mpi_bench GRAPH.npz MODEL EPOCHS
// THREADS, one process on the whole graph.
#include "dsnn/mpi/mpi.h"
#include "dsnn/train/part_folder.h"
#include "dsnn/train/run_config.h"
#include "dsnn/train/traffic.h"
#include "dsnn/util/error.h"

#include "timing.h"
#include "train/split_trainer.h"
#include "train/task_maker.h"
#include "train/training_data.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <exception>
#include <fstream>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace dsnn::bench {
namespace {

using Json = nlohmann::ordered_json;

Config config_of(const std::string& model) {
  Config config = default_config(model);
  for (const char* setting : {"epochs=1000000000", "patience=1000000000", "select_by=loss",
                              "stalk_dim=2", "channels=8", "layers=2"}) {
    try {
      config.set_text(setting);
    } catch (const Error&) {  // this model has no stalks
    }
  }
  return config;
}

/// A line of /proc/self/status, in bytes.
double status_bytes(const std::string& name) {
  constexpr double kKilobyte = 1024;
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(name + ":")) return kKilobyte * std::stod(line.substr(name.size() + 1));
  }
  return 0;
}

/// The shortest of some epochs, after one that touches the memory.
double epoch_seconds(SplitTrainer& trainer, int epochs, int threads) {
  trainer.run_epoch(threads);
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < epochs; ++i) {
    best = std::min(best, seconds([&] { trainer.run_epoch(threads); }));
  }
  return best;
}

Json of_whole(const std::string& graph, const std::string& model, int epochs, int threads) {
  const double before = status_bytes("VmRSS");
  Dataset dataset = read_dataset(graph);
  const Config config = config_of(model);
  const TaskMaker tasks(dataset, config);
  dataset.graph = {};
  dataset.features = {};
  SplitTrainer trainer(tasks.make(0), 0, model, config, 0, engine::Device::cpu(threads));
  const double time = epoch_seconds(trainer, epochs, threads);
  return {{"threads", threads},
          {"epoch_seconds", time},
          {"memory", status_bytes("VmRSS") - before},
          {"loss", trainer.records()[static_cast<std::size_t>(epochs)].train_loss}};
}

Json of_parts(const std::string& parts, const std::string& model, int epochs, Ranks& ranks) {
  const double before = status_bytes("VmRSS");
  LoadedPart loaded = load_part(parts, ranks);
  const Config config = config_of(model);
  const Halo& halo = *loaded.part->halo;
  const TaskMaker tasks(loaded.data, config, loaded.part->whole.preparation(config),
                        loaded.part->halo);
  loaded.data.graph = {};
  loaded.data.features = {};
  SplitTrainer trainer(tasks.make(0), 0, model, config, 0, engine::Device::cpu(1));
  const double time = epoch_seconds(trainer, epochs, 1);
  const std::int64_t bytes = ranks.bytes_sent(), messages = ranks.messages_sent();
  trainer.run_epoch(1);
  const Json own = {
      {"epoch_seconds", time},
      {"memory", status_bytes("VmRSS") - before},
      {"nodes", halo.num_nodes()},
      {"ghosts", halo.num_ghost_rows(engine::RowKind::kNodes)},
      {"half_edges", halo.num_rows(engine::RowKind::kHalfEdges)},
      {"bytes_sent", ranks.bytes_sent() - bytes},
      {"rows_sent", bytes_sent(fetches(trainer.programs().training), halo, sizeof(float)) +
                        bytes_sent(fetches(trainer.programs().evaluation), halo, sizeof(float))},
      {"messages_sent", ranks.messages_sent() - messages},
      {"loss", trainer.records()[static_cast<std::size_t>(epochs)].train_loss}};
  Json all = Json::array();
  for (const std::string& text : ranks.gather_text(own.dump())) all.push_back(Json::parse(text));
  return {{"ranks", all}};
}

int run(int argc, char** argv) {
  if (argc < 4) {
    fmt::print(stderr, "usage: mpi_bench PARTS|GRAPH.npz MODEL EPOCHS [THREADS]\n");
    return 2;
  }
  const std::string graph = argv[1], model = argv[2];
  const int epochs = std::atoi(argv[3]);
  if (!PartFolder::is_at(graph)) {
    fmt::print("{}\n", of_whole(graph, model, epochs, argc > 4 ? std::atoi(argv[4]) : 1).dump());
    return 0;
  }
  Mpi mpi;
  const Json result = of_parts(graph, model, epochs, mpi.ranks());
  if (mpi.ranks().rank() == 0) fmt::print("{}\n", result.dump());
  return 0;
}

}  // namespace
}  // namespace dsnn::bench

int main(int argc, char** argv) {
  try {
    return dsnn::bench::run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "mpi_bench: {}\n", error.what());
    return 1;
  }
}
