#include "dsnn/fit/fit.h"

#include "dsnn/train/run_config.h"
#include "dsnn/util/error.h"
#include "dsnn/util/output_file.h"
#include "dsnn/util/progress.h"

#include "fit/candidates.h"
#include "train/run_folder.h"
#include "train/split_trainer.h"
#include "train/training_data.h"
#include "util/duration.h"
#include "util/folder_lock.h"
#include "util/index.h"
#include "util/json_text.h"
#include "util/machine.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <exception>
#include <fstream>
#include <map>
#include <mutex>
#include <thread>

namespace dsnn {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

/// Epochs of the rungs; a third of the trials continues to the next.
constexpr std::array<std::int64_t, 3> kRungs = {30, 100, kFitEpochs};
constexpr int kLastRung = static_cast<int>(kRungs.size()) - 1;
constexpr std::int64_t kKeptOf = 3;
/// Share of the time after which no new trial starts: the rest is for the members.
constexpr double kSearchShare = 0.75;

std::string folder_name(std::int64_t trial) { return fmt::format("trials/{:04}", trial); }

/// Best first: trials without failure, then by validation accuracy, loss, and number.
bool is_better(const FitTrial& a, const FitTrial& b) {
  if (a.has_score() != b.has_score()) return a.has_score();
  if (a.validation.accuracy != b.validation.accuracy) {
    return a.validation.accuracy > b.validation.accuracy;
  }
  if (a.validation.loss != b.validation.loss) return a.validation.loss < b.validation.loss;
  return a.number < b.number;
}

class Fit {
 public:
  Fit(const Dataset& dataset, const FitOptions& options, double seconds_before)
      : dataset_(dataset),
        options_(options),
        seconds_before_(seconds_before),
        checksum_(checksum(dataset)),
        preparation_(fit_preparation(dataset, make_candidate(0, options, {}).config)),
        data_(make_training_data(dataset, preparation_)) {}

  /// Brackets one after the other, until there are enough trials or no time is left.
  void search() {
    for (std::int64_t first = 0; has_more(first); first += kBracket) {
      std::vector<FitTrial> earlier = trials_;
      std::ranges::sort(earlier, is_better);
      std::vector<std::int64_t> numbers;
      const std::int64_t end =
          std::min(first + kBracket, options_.trials.value_or(first + kBracket));
      for (std::int64_t i = first; i < end; ++i) {
        trials_.push_back(make_candidate(i, options_, earlier));
        numbers.push_back(i);
      }
      for (int rung = 0; rung <= kLastRung && !numbers.empty(); ++rung) {
        train_all(numbers, rung, kSearchShare * options_.seconds);
        numbers = best_of(numbers, (std::ssize(numbers) + kKeptOf - 1) / kKeptOf);
      }
    }
  }

  /// The best trials so far, trained to the end. write() compares all again.
  void train_members() {
    is_final_ = true;
    std::vector<std::int64_t> members = best_of(all_numbers(), options_.members);
    train_all(members, kLastRung, options_.seconds);
  }

  bool has_scores() const {
    return std::ranges::any_of(trials_, [](const FitTrial& trial) { return trial.has_score(); });
  }

  /// Writes ensemble.json and fit.json for the best trials so far.
  FitResult write() {
    FitResult result;
    result.members = best_of(all_numbers(), options_.members);
    std::vector<std::string> folders;
    for (const std::int64_t number : result.members) {
      folders.push_back(folder_name(number));
      finish(trials_[at(number)]);
    }
    write_ensemble(options_.folder, folders);
    result.scores = ensemble_scores(Ensemble(options_.folder), options_.split, dataset_);
    result.trials = trials_;
    std::ranges::sort(result.trials, is_better);
    result.seconds = seconds();
    write_json(result);
    return result;
  }

 private:
  double seconds() const { return seconds_before_ + seconds_since(start_); }

  bool has_more(std::int64_t first) const {
    if (options_.trials) return first < *options_.trials;
    return seconds() < kSearchShare * options_.seconds;
  }

  std::vector<std::int64_t> all_numbers() const {
    std::vector<std::int64_t> numbers;
    for (const FitTrial& trial : trials_) numbers.push_back(trial.number);
    return numbers;
  }

  std::vector<std::int64_t> best_of(std::vector<std::int64_t> numbers, std::int64_t count) const {
    std::erase_if(numbers, [&](std::int64_t i) { return !trials_[at(i)].has_score(); });
    std::ranges::sort(numbers, [&](std::int64_t a, std::int64_t b) {
      return is_better(trials_[at(a)], trials_[at(b)]);
    });
    numbers.resize(at(std::min<std::int64_t>(count, std::ssize(numbers))));
    return numbers;
  }

  RunConfig run_config(const FitTrial& trial) const {
    RunConfig config;
    config.model = trial.model;
    config.config = trial.config;
    config.dataset = dataset_.name;
    config.checksum = checksum_;
    config.seed = trial.seed;
    return config;
  }

  /// Trains these trials up to a rung, one per core at a time.
  void train_all(const std::vector<std::int64_t>& numbers, int rung, double deadline) {
    std::size_t next = 0;
    const int jobs = std::clamp(static_cast<int>(numbers.size()), 1, num_cores());
    int num_at_work = jobs;
    std::exception_ptr thrown;
    const auto work = [&] {
      for (;;) {
        std::int64_t number = 0;
        int threads = 1;
        {
          const std::lock_guard lock(mutex_);
          if (thrown || next == numbers.size()) break;
          number = numbers[next++];
          threads = std::max(1, num_cores() / num_at_work);
        }
        try {
          train(number, rung, deadline, threads);
        } catch (...) {
          const std::lock_guard lock(mutex_);
          if (!thrown) thrown = std::current_exception();
        }
      }
      const std::lock_guard lock(mutex_);
      --num_at_work;
    };
    {
      std::vector<std::jthread> workers;
      for (int i = 1; i < jobs; ++i) {
        workers.emplace_back([&work, task = Task::current()] {
          const Task::Scope scope(task);
          work();
        });
      }
      work();
    }
    if (thrown) std::rethrow_exception(thrown);
  }

  bool is_late(double deadline) const { return !options_.trials && seconds() >= deadline; }

  void train(std::int64_t number, int rung, double deadline, int threads) {
    FitTrial trial;
    {
      const std::lock_guard lock(mutex_);
      trial = trials_[at(number)];
    }
    if (is_cancel_requested()) throw Cancelled();
    if (!trial.failure.empty() || is_late(deadline)) return;
    try {
      train(trial, rung, deadline, threads);
    } catch (const Cancelled&) {
      store(trial);
      throw;
    } catch (const Error& error) {  // a model that does not support this graph
      trial.failure = error.what();
    }
    store(trial);
  }

  void train(FitTrial& trial, int rung, double deadline, int threads) {
    const RunConfig config = run_config(trial);
    const RunFolder folder(options_.folder / folder_name(trial.number), config, /*resume=*/true);
    folder.write_data(dataset_, preparation_, content_checksum(dataset_));
    SplitTrainer trainer(data_, options_.split, trial.model, trial.config, trial.seed,
                         engine::Device::of_word(options_.device, threads));
    const fs::path checkpoint = folder.files().checkpoint(options_.split);
    std::error_code ignored;
    if (fs::exists(checkpoint, ignored)) trainer.restore(checkpoint, config.fingerprint());
    // A trial that was interrupted after this rung counts with its result at this rung.
    const std::int64_t before = trainer.result().epochs;
    bool is_cancelled = false;
    while (!trainer.is_finished() && trainer.result().epochs < kRungs[at(rung)]) {
      if (is_cancel_requested()) {
        is_cancelled = true;
        break;
      }
      if (is_late(deadline) && trainer.result().best_epoch > 0) break;
      trainer.run_epoch(threads, kRungs[at(rung)] - trainer.result().epochs);
      report(trial, trainer.result());
    }
    if (trainer.result().epochs > before || !fs::exists(checkpoint, ignored)) {
      folder.write_split(trainer);
      trainer.save(checkpoint, config.fingerprint());
    }
    take_scores(trial, trainer, rung);
    {
      const std::lock_guard lock(mutex_);
      running_.erase(trial.number);
      results_[trial.number] = trainer.result();
    }
    if (is_cancelled) throw Cancelled();
  }

  /// The result of the trial at this rung, even if it has been trained further.
  static void take_scores(FitTrial& trial, const SplitTrainer& trainer, int rung) {
    const SplitResult& result = trainer.result();
    trial.epochs = result.epochs;
    trial.seconds = result.seconds;
    if (result.best_epoch == 0) {
      if (trainer.is_finished()) trial.failure = result.failure;
      return;
    }
    trial.rung = rung;
    trial.validation = result.validation;
    if (result.epochs <= kRungs[at(rung)]) return;
    double best = -1;
    for (const EpochRecord& record : trainer.records()) {
      if (record.epoch > kRungs[at(rung)]) break;
      if (record.validation.accuracy <= best) continue;
      best = record.validation.accuracy;
      trial.validation = record.validation;
    }
  }

  void store(const FitTrial& trial) {
    const std::lock_guard lock(mutex_);
    trials_[at(trial.number)] = trial;
    if (trial.has_score() && (best_ < 0 || is_better(trial, trials_[at(best_)]))) {
      best_ = trial.number;
    }
  }

  void report(const FitTrial& trial, const SplitResult& result) {
    if (!options_.observer) return;
    const std::lock_guard lock(mutex_);
    running_[trial.number] = {trial.number, trial.model, result.epochs, result.validation.accuracy};
    if (seconds_since(reported_) < 0.1) return;
    reported_ = Clock::now();
    FitProgress progress;
    progress.num_begun = std::ssize(trials_);
    if (best_ >= 0) {
      progress.best_model = trials_[at(best_)].model;
      progress.best_validation = trials_[at(best_)].validation.accuracy;
    }
    progress.seconds = seconds();
    progress.is_final = is_final_;
    for (const auto& [number, running] : running_) progress.running.push_back(running);
    options_.observer(progress);
  }

  /// result.json: the run of a member is complete.
  void finish(const FitTrial& trial) const {
    const RunConfig config = run_config(trial);
    const RunFolder folder(options_.folder / folder_name(trial.number), config, /*resume=*/true);
    folder.write_result({config, {results_.at(trial.number)}});
  }

  void write_json(const FitResult& result) const {
    Json trials = Json::array();
    for (const FitTrial& trial : result.trials) {
      Json json = {{"trial", trial.number}, {"model", trial.model},   {"changes", trial.changes},
                   {"seed", trial.seed},    {"epochs", trial.epochs}, {"seconds", trial.seconds}};
      if (trial.has_score()) {
        json["val_accuracy"] = 100 * trial.validation.accuracy;
        json["val_loss"] = trial.validation.loss;
      }
      if (!trial.failure.empty()) json["failure"] = trial.failure;
      trials.push_back(std::move(json));
    }
    const Json json = {{"dataset", dataset_.name},
                       {"checksum", checksum_},
                       {"split", options_.split},
                       {"seed", options_.seed},
                       {"seconds", result.seconds},
                       {"members", result.members},
                       {"val_accuracy", 100 * result.scores.validation.accuracy},
                       {"test_accuracy", 100 * result.scores.test.accuracy},
                       {"num_test", result.scores.num_test},
                       {"trials", trials}};
    write_file(options_.folder / "fit.json", json_text(json, 2) + "\n");
  }

  const Dataset& dataset_;
  const FitOptions& options_;
  double seconds_before_;
  std::string checksum_;
  FeaturePreparation preparation_;
  TrainingData data_;
  Clock::time_point start_ = Clock::now(), reported_ = start_;
  std::mutex mutex_;
  std::vector<FitTrial> trials_;  // by number
  std::map<std::int64_t, FitProgress::Running> running_;
  std::map<std::int64_t, SplitResult> results_;  // of trials that have been trained
  std::int64_t best_ = -1;
  bool is_final_ = false;
};

/// Throws Error unless the folder is new, or contains this fit and `resume` is set. Returns the
/// seconds spent by earlier calls.
double open_folder(const Dataset& dataset, const FitOptions& options) {
  const fs::path path = options.folder / "fit.json";
  std::error_code error;
  const bool exists = fs::exists(path, error) || fs::exists(options.folder / "trials", error);
  if (exists && !options.resume) {
    throw Error(fmt::format(
        "{}: contains a fit already; continue it with --resume, or choose another folder",
        options.folder.string()));
  }
  fs::create_directories(options.folder, error);
  if (error) {
    throw Error(fmt::format("{}: cannot create: {}", options.folder.string(), error.message()));
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) return 0;
  const Json json = parse_json(file);
  if (!json.is_object() || json.value("checksum", "") != checksum(dataset) ||
      json.value("seed", std::uint64_t{0}) != options.seed ||
      json.value("split", 0) != options.split) {
    throw Error(
        fmt::format("{}: contains a fit with different data, seed or split; choose another "
                    "folder",
                    options.folder.string()));
  }
  return json.value("seconds", 0.0);
}

}  // namespace

FitResult fit(const Dataset& dataset, const FitOptions& options) {
  if (options.folder.empty()) throw Error("a fit needs a folder for its members");
  check_trainable(dataset, {options.split});
  const double seconds_before = open_folder(dataset, options);
  FolderLock lock(options.folder);
  if (!lock.try_lock()) {
    throw Error(
        fmt::format("{}: another process is working in this folder", options.folder.string()));
  }
  write_dataset(options.folder / "data.npz", dataset);
  Fit fit(dataset, options, options.trials ? 0 : seconds_before);
  try {
    fit.search();
    fit.train_members();
  } catch (const Cancelled&) {
    const Uninterrupted scope;
    if (fit.has_scores()) fit.write();
    throw;
  }
  if (!fit.has_scores()) throw Error(fmt::format("{}: no model could be trained", dataset.name));
  return fit.write();
}

}  // namespace dsnn
