#include "dsnn/train/train.h"

#include "dsnn/data/registry.h"
#include "dsnn/data/splits.h"
#include "dsnn/ops/memory.h"
#include "dsnn/ops/threads.h"
#include "dsnn/util/error.h"
#include "dsnn/util/progress.h"

#include "train/run_folder.h"
#include "train/split_trainer.h"
#include "util/index.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <mutex>
#include <numeric>
#include <optional>
#include <thread>
#include <utility>

namespace dsnn {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void check_data(const Dataset& dataset, const std::vector<int>& splits) {
  const auto fail = [&](const std::string& what) {
    throw Error(fmt::format("{}: {}", dataset.name, what));
  };
  if (dataset.labels.empty()) fail("has no labels, expected some to learn from");
  if (dataset.features.empty()) {
    fail("has no features (--features degrees makes some from the graph)");
  }
  if (dataset.splits.empty()) fail("has no splits (--split 48/32/20 draws some)");
  for (const int split : splits) {
    if (split < 0 || split >= std::ssize(dataset.splits)) {
      fail(fmt::format("has splits 0 to {}, but split {} is asked for", dataset.splits.size() - 1,
                       split));
    }
  }
  for (const SplitProblem& problem : check_splits(dataset)) {
    if (problem.is_error && problem.text.find("masks of") != std::string::npos) fail(problem.text);
  }
}

bool normalises_rows(const Config& config, const std::string& dataset) {
  if (config.word("normalise_features") != "auto") {
    return config.word("normalise_features") == "rows";
  }
  const DatasetEntry* entry = find_dataset_entry(dataset);
  return entry != nullptr && entry->normalise_features;
}

/// Trains splits until none is left. Jobs share it.
class Jobs {
 public:
  Jobs(const TrainingData& data, const Dataset& dataset, const TrainOptions& options,
       const RunConfig& config, std::vector<int> splits)
      : data_(data),
        dataset_(dataset),
        options_(options),
        config_(config),
        splits_(std::move(splits)) {
    if (!options.folder.empty()) {
      folder_.emplace(options.folder, config, options.resume);
      folder_->write_data(dataset, normalises_rows(config.config, dataset.name));
    }
    results_.resize(splits_.size());
  }

  std::vector<SplitResult> train(int jobs) {
    std::vector<std::thread> threads;
    for (int job = 1; job < jobs; ++job) threads.emplace_back([this] { work(); });
    work();
    for (std::thread& thread : threads) thread.join();
    if (thrown_) std::rethrow_exception(thrown_);
    if (folder_) folder_->write_result(results_);
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
  }

  std::optional<std::size_t> take() {
    const std::lock_guard lock(mutex_);
    if (thrown_ || next_ == splits_.size()) return std::nullopt;
    return next_++;
  }

  SplitResult train_split(int split) {
    SplitTrainer trainer(data_, dataset_.splits[at(split)], split, options_.model, config_.config,
                         options_.seed);
    const std::string fingerprint = config_.fingerprint();
    if (folder_ && options_.resume && std::filesystem::exists(folder_->checkpoint(split))) {
      trainer.restore(folder_->checkpoint(split), fingerprint);
    }
    Clock::time_point start = Clock::now(), saved = start;
    const auto save = [&] {
      if (!folder_) return;
      folder_->write_split(trainer);
      trainer.save(folder_->checkpoint(split), fingerprint);
      saved = Clock::now();
    };
    const auto count_time = [&] {
      trainer.add_seconds(seconds_since(start));
      start = Clock::now();
    };
    while (!trainer.is_finished()) {
      if (is_cancel_requested()) {
        count_time();
        save();
        throw Cancelled();
      }
      trainer.run_epoch();
      count_time();
      if (seconds_since(saved) > options_.checkpoint_seconds) save();
      report(trainer, false);
    }
    save();
    report(trainer, true);
    return trainer.result();
  }

  void report(const SplitTrainer& trainer, bool is_finished) {
    if (!options_.observer) return;
    TrainProgress progress;
    const SplitResult& result = trainer.result();
    progress.split = result.split;
    progress.epoch = result.epochs;
    progress.epochs = config_.config.integer("epochs");
    progress.best_validation_accuracy = result.validation.accuracy;
    progress.seconds = result.seconds;
    progress.is_finished = is_finished;
    if (!trainer.records().empty()) {
      progress.train_loss = trainer.records().back().train_loss;
      progress.validation_accuracy = trainer.records().back().validation.accuracy;
    }
    const std::lock_guard lock(mutex_);
    options_.observer(progress);
  }

  const TrainingData& data_;
  const Dataset& dataset_;
  const TrainOptions& options_;
  const RunConfig& config_;
  std::vector<int> splits_;
  std::optional<RunFolder> folder_;
  std::mutex mutex_;
  std::size_t next_ = 0;
  std::vector<SplitResult> results_;
  std::exception_ptr thrown_;
};

}  // namespace

Features normalise_rows(const Features& features) {
  if (features.values.empty()) return features;
  float smallest = *std::ranges::min_element(features.values);
  if (features.is_sparse()) smallest = std::min(smallest, 0.0f);
  // What is not there is 0; if that is no longer the smallest, all entries are there.
  const bool stays_sparse = features.is_sparse() && smallest == 0;
  Features result = stays_sparse ? features : features.to_dense();
  for (std::int64_t row = 0; row < result.num_rows; ++row) {
    const std::size_t begin = at(stays_sparse ? result.offsets[at(row)] : row * result.num_columns);
    const std::size_t end =
        at(stays_sparse ? result.offsets[at(row + 1)] : (row + 1) * result.num_columns);
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) sum += result.values[i] -= smallest;
    for (std::size_t i = begin; i < end; ++i) {
      result.values[i] = static_cast<float>(result.values[i] / std::max(sum, 1.0));
    }
  }
  return result;
}

std::vector<SplitResult> train(const Dataset& dataset, const TrainOptions& options) {
  RunConfig config;
  config.model = options.model;
  config.config = options.config.parameters().empty()
                      ? Config(nn::find_model(options.model).parameters)
                      : options.config;
  config.dataset = dataset.name;
  config.seed = options.seed;
  std::vector<int> splits = options.splits;
  if (splits.empty()) {
    splits.resize(dataset.splits.size());
    std::iota(splits.begin(), splits.end(), 0);
  }
  check_data(dataset, splits);
  config.checksum = checksum(dataset);
  const bool is_normalised = normalises_rows(config.config, dataset.name);
  const TrainingData data = {
      nn::Input(ops::Graph(dataset.graph),
                is_normalised ? normalise_rows(dataset.features) : dataset.features),
      dataset.labels, dataset.num_classes};
  const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  const int jobs = std::clamp(options.jobs, 1, static_cast<int>(splits.size()));
  ops::set_num_threads(options.threads > 0 ? options.threads : std::max(1, cores / jobs));
  return Jobs(data, dataset, options, config, std::move(splits)).train(jobs);
}

}  // namespace dsnn
