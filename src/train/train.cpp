#include "dsnn/train/train.h"

#include "dsnn/train/part_folder.h"
#include "dsnn/util/error.h"
#include "dsnn/util/progress.h"

#include "train/device_choice.h"
#include "train/run_folder.h"
#include "train/split_trainer.h"
#include "train/task_maker.h"
#include "train/tensorboard.h"
#include "util/duration.h"
#include "util/index.h"
#include "util/machine.h"

#include <fmt/format.h>
#include <system_error>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <numeric>
#include <optional>
#include <set>
#include <thread>
#include <utility>

namespace dsnn {
namespace {

using Clock = std::chrono::steady_clock;

int threads_for(int jobs) { return std::max(1, num_cores() / std::max(1, jobs)); }

/// Trains splits until none is left. Jobs share it.
class Jobs {
 public:
  Jobs(const TaskMaker& tasks, const TrainOptions& options, const RunConfig& config,
       std::vector<int> splits, const std::optional<RunFolder>& folder)
      : tasks_(tasks),
        options_(options),
        config_(config),
        splits_(std::move(splits)),
        folder_(folder) {
    results_.resize(splits_.size());
  }

  std::vector<SplitResult> train(int jobs) {
    num_at_work_ = jobs;
    std::vector<std::thread> threads;
    try {
      for (int job = 1; job < jobs; ++job) {
        threads.emplace_back([this, task = Task::current()] {
          const Task::Scope scope(task);
          work();
        });
      }
    } catch (const std::system_error&) {  // no more threads available: continue with these
      num_at_work_ -= jobs - 1 - static_cast<int>(threads.size());
    }
    work();
    for (std::thread& thread : threads) thread.join();
    if (thrown_) std::rethrow_exception(thrown_);
    if (folder_) folder_->write_result({config_, results_});
    return results_;
  }

 private:
  void work() {
    try {
      for (std::optional<std::size_t> i; (i = take());) results_[*i] = train_split(splits_[*i]);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!thrown_) thrown_ = std::current_exception();
    }
    --num_at_work_;
  }

  /// Cores of jobs without a split help the remaining jobs.
  int threads() const {
    return options_.threads > 0 ? options_.threads : threads_for(num_at_work_);
  }

  std::optional<std::size_t> take() {
    const std::lock_guard lock(mutex_);
    if (thrown_ || next_ == splits_.size()) return std::nullopt;
    return next_++;
  }

  SplitResult train_split(int split) {
    std::unique_ptr<SplitTask> task = tasks_.make(split);
    Ranks* ranks = task->ranks();
    if (folder_ && task->own_preparation() != nullptr) {
      folder_->write_preparation(split, *task->own_preparation());
    }
    SplitTrainer trainer(
        std::move(task), split, options_.model, config_.config, options_.seed,
        engine::Device::of_word(options_.device,
                                options_.threads > 0 ? options_.threads : num_cores()));
    const std::string fingerprint = config_.fingerprint();
    if (options_.resume) restore(trainer, split, ranks);
    std::optional<EventFile> events;
    if (folder_ && options_.logs_tensorboard) {
      events.emplace(folder_->files().split(split));
      events->append(trainer.records());  // of an earlier call
    }
    Clock::time_point saved = Clock::now();
    const auto save = [&] {
      if (!folder_) return;
      folder_->write_split(trainer);
      trainer.save(folder_->files().checkpoint(split), fingerprint);
      saved = Clock::now();
    };
    while (!trainer.is_finished()) {
      // On all ranks after the same epoch.
      if (ranks != nullptr ? ranks->any(is_cancel_requested()) : is_cancel_requested()) {
        save();
        throw Cancelled();
      }
      trainer.run_epoch(threads());
      if (events) events->append(trainer.records());
      if (seconds_since(saved) > options_.checkpoint_seconds) save();
      report(trainer, false);
    }
    save();
    if (events) events->flush();
    report(trainer, true);
    SplitResult result = trainer.result();
    result.signs = trainer.signs();
    return result;
  }

  /// All ranks read the checkpoint that the first has written.
  void restore(SplitTrainer& trainer, int split, Ranks* ranks) {
    const std::filesystem::path path = RunFiles(options_.folder).checkpoint(split);
    const auto work = [&] {
      std::error_code ignored;
      if (!options_.folder.empty() && std::filesystem::exists(path, ignored)) {
        trainer.restore(path, config_.fingerprint());
      }
    };
    if (ranks == nullptr) return work();
    ranks->agree(work);
    const std::int64_t epochs = trainer.result().epochs;
    if (ranks->sum(epochs) != epochs * ranks->size()) {
      throw AgreedError(
          fmt::format("{}: is not the same on all ranks, expected a shared folder", path.string()));
    }
  }

  void report(const SplitTrainer& trainer, bool is_finished) {
    if (!options_.observer) return;
    TrainProgress progress;
    const SplitResult& result = trainer.result();
    progress.split = result.split;
    progress.epoch = result.epochs;
    progress.epochs = config_.config.integer("epochs");
    progress.best_validation_accuracy = result.validation.value();
    progress.seconds = result.seconds;
    progress.is_finished = is_finished;
    if (!trainer.records().empty()) {
      progress.train_loss = trainer.records().back().train_loss;
      progress.validation_accuracy = trainer.records().back().validation.value();
    }
    const std::lock_guard lock(mutex_);
    options_.observer(progress);
  }

  const TaskMaker& tasks_;
  const TrainOptions& options_;
  const RunConfig& config_;
  std::vector<int> splits_;
  const std::optional<RunFolder>& folder_;
  std::atomic<int> num_at_work_ = 0;
  std::mutex mutex_;
  std::size_t next_ = 0;
  std::vector<SplitResult> results_;
  std::exception_ptr thrown_;
};

RunConfig run_config(const TrainOptions& options) {
  RunConfig config;
  config.model = options.model;
  config.config = config_for(options.model, options.config);
  config.seed = options.seed;
  return config;
}

std::vector<int> splits_of(const Dataset& dataset, const TrainOptions& options,
                           const Config& config) {
  std::vector<int> splits = options.splits;
  if (splits.empty()) {
    splits.resize(static_cast<std::size_t>(num_splits(dataset, config)));
    std::iota(splits.begin(), splits.end(), 0);
  }
  if (std::set(splits.begin(), splits.end()).size() != splits.size()) {
    throw Error("splits: a split is requested twice");
  }
  if (options.logs_tensorboard && options.folder.empty()) {
    throw Error("event files for TensorBoard need a folder");
  }
  return splits;
}

/// `owned`, if given, is the dataset: its graph and features may be freed after preparation.
TrainResult train_on(const Dataset& dataset, Dataset* owned, const TrainOptions& options) {
  RunConfig config = run_config(options);
  config.dataset = dataset.name;
  std::vector<int> splits = splits_of(dataset, options, config.config);
  check_trainable(dataset, config.config, splits);
  const bool is_of_nodes = task_of(config.config) == TaskKind::kNodes;
  FeaturePreparation preparation = fit_preparation(dataset, config.config);
  config.checksum = checksum(dataset);
  std::optional<RunFolder> folder;
  if (!options.folder.empty()) folder.emplace(options.folder, config, options.resume);
  if (folder && is_of_nodes) {
    preparation = folder->preparation(dataset, preparation);
    folder->write_data(dataset, preparation, content_checksum(dataset));
  } else if (folder) {
    folder->write_link_data(dataset);
  }
  const TaskMaker tasks(dataset, config.config, preparation);
  if (owned != nullptr && is_of_nodes) {
    owned->graph = {};
    owned->features = {};
  }
  const int jobs = std::clamp(options.jobs, 1, static_cast<int>(splits.size()));
  TrainOptions chosen = options;
  std::string choice;
  if (options.device == "auto" && !splits.empty()) {
    const auto make = [&](const engine::Device& device) {
      return std::make_unique<SplitTrainer>(tasks.make(splits[0]), splits[0], options.model,
                                            config.config, options.seed, device);
    };
    const DeviceChoice found =
        choose_device(make, options.threads > 0 ? options.threads : threads_for(jobs));
    chosen.device = found.word;
    choice = found.reason;
  }
  Jobs work(tasks, chosen, config, std::move(splits), folder);
  return {config, work.train(jobs), choice};
}

/// The same on a part of a graph. Only rank 0 has the folder.
TrainResult train_on_part(const Dataset& dataset, const TrainOptions& options) {
  const TrainPart& part = *options.part;
  Ranks& ranks = part.halo->ranks();
  RunConfig config;
  std::vector<int> splits;
  std::optional<RunFolder> folder;
  FeaturePreparation preparation;
  ranks.agree([&] {
    config = run_config(options);
    config.dataset = part.whole.name;
    config.checksum = part.whole.checksum;
    splits = splits_of(dataset, options, config.config);
    if (engine::Device::of_word(options.device, 1).is_gpu()) {
      throw Error("device cuda: graphs in parts are trained on processors only");
    }
    check_trainable_part(dataset, options.model, config.config, splits);
    preparation = part.whole.preparation(config.config);
    if (preparation.num_prepared(dataset.features.num_columns) == 0) fail_without_features(dataset);
    if (ranks.rank() != 0 || options.folder.empty()) return;
    folder.emplace(options.folder, config, options.resume);
    folder->write_data(dataset, preparation, part.whole.content);
  });
  const TaskMaker tasks(dataset, config.config, preparation, part.halo);
  TrainOptions own = options;
  if (ranks.rank() != 0) own.observer = {};
  Jobs work(tasks, own, config, splits, folder);
  return {config, work.train(/*jobs=*/1)};
}

}  // namespace

TrainResult train(const Dataset& dataset, const TrainOptions& options) {
  return options.part ? train_on_part(dataset, options) : train_on(dataset, nullptr, options);
}

TrainResult train(Dataset&& dataset, const TrainOptions& options) {
  if (options.part) return train_on_part(dataset, options);
  return train_on(dataset, &dataset, options);
}

}  // namespace dsnn
