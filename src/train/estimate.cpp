#include "train/estimate.h"

#include "dsnn/engine/plan.h"
#include "dsnn/util/error.h"
#include "dsnn/util/progress.h"

#include "train/split_trainer.h"
#include "train/task_maker.h"
#include "util/duration.h"
#include "util/machine.h"

#include <algorithm>
#include <chrono>

namespace dsnn {
namespace {

/// The mean of some epochs, without the first few, which touch memory and try threads.
double measure_epoch(SplitTrainer& trainer, int threads, double max_seconds) {
  constexpr int kWarmUp = 12;
  const auto start = std::chrono::steady_clock::now();
  const auto run_epoch = [&] {
    if (is_cancel_requested()) throw Cancelled();
    trainer.run_epoch(threads);
  };
  for (int i = 0; i < kWarmUp && !trainer.is_finished(); ++i) {
    run_epoch();
    if (seconds_since(start) > max_seconds / 2 && i > 0) break;
  }
  const double warm = trainer.result().seconds;
  const std::int64_t before = trainer.result().epochs;
  do {
    run_epoch();
  } while (!trainer.is_finished() && seconds_since(start) < max_seconds);
  return (trainer.result().seconds - warm) /
         static_cast<double>(std::max<std::int64_t>(1, trainer.result().epochs - before));
}

/// What a GPU has of a graph: half-edges with their nodes and reverses, and the features by rows
/// and columns.
double gpu_graph_bytes(const Dataset& dataset) {
  constexpr double kHalfEdge = 4 + 4 + 1 + 4 + 4, kOffset = 8, kEntry = 2 * (4 + 8 + 4) + 8;
  const auto nodes = static_cast<double>(dataset.graph.num_nodes());
  const auto entries = static_cast<double>(
      std::ranges::count_if(dataset.features.values, [](float x) { return x != 0; }));
  return nodes * kOffset + static_cast<double>(dataset.graph.num_half_edges()) * kHalfEdge +
         entries * kEntry;
}

}  // namespace

TrainEstimate estimate_training(const Dataset& dataset, const TrainOptions& options,
                                double max_seconds) {
  const int split = options.splits.empty() ? 0 : options.splits.front();
  const Config config = config_for(options.model, options.config);
  check_trainable(dataset, config, {split});
  const TaskMaker tasks(dataset, config);
  const int threads =
      options.threads > 0 ? options.threads : std::max(1, num_cores() / std::max(1, options.jobs));
  SplitTrainer trainer(tasks.make(split), split, options.model, config, options.seed,
                       engine::Device::cpu(threads));
  const engine::Plan training = plan(trainer.programs().training);
  const engine::Plan evaluation = plan(trainer.programs().evaluation);
  constexpr std::int64_t kBytes = sizeof(float), kArrays = 5;  // weights, gradients, moments, best
  TrainEstimate estimate;
  estimate.num_weights = trainer.model().num_weights();
  estimate.shared_bytes = static_cast<double>(memory_in_use());
  const std::int64_t numbers = std::max(training.size, evaluation.size) +
                               std::max(training.scratch, evaluation.scratch) +
                               kArrays * estimate.num_weights;
  estimate.split_bytes = static_cast<double>(numbers * kBytes);
  const auto on_gpu = [&](const engine::Program& program) {
    const engine::Plan placed = gpu_plan(program, kBytes);
    return placed.size + placed.scratch;
  };
  const std::int64_t gpu_numbers = on_gpu(trainer.programs().training) +
                                   on_gpu(trainer.programs().evaluation) +
                                   kArrays * estimate.num_weights;
  estimate.gpu_bytes = static_cast<double>(gpu_numbers * kBytes) + gpu_graph_bytes(dataset);
  estimate.training_program = program_text(trainer.programs().training, training, kBytes);
  if (!trainer.programs().evaluation.steps().empty()) {
    estimate.evaluation_program = program_text(trainer.programs().evaluation, evaluation, kBytes);
  }
  if (max_seconds > 0) estimate.epoch_seconds = measure_epoch(trainer, threads, max_seconds);
  return estimate;
}

}  // namespace dsnn
