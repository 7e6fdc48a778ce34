#include "dsnn/sweep/sweep.h"

#include "dsnn/nn/model.h"
#include "dsnn/ops/threads.h"
#include "dsnn/util/error.h"
#include "dsnn/util/output_file.h"
#include "dsnn/util/progress.h"

#include "sweep/space_json.h"
#include "sweep/store.h"
#include "train/origin.h"
#include "train/run_folder.h"
#include "train/split_trainer.h"
#include "util/duration.h"
#include "util/first_line.h"
#include "util/index.h"
#include "util/machine.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <system_error>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <exception>
#include <fstream>
#include <iterator>
#include <mutex>
#include <new>
#include <numeric>
#include <thread>
#include <utility>

namespace dsnn {
namespace {

using Clock = std::chrono::steady_clock;

// Trials of a bracket where their number is not known in advance.
constexpr std::int64_t kOpenBracket = 27;

std::int64_t parse_integer(const std::string& text) {
  std::int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

/// The schedule of a sweep, from its facts.
Schedule make_schedule(const SearchSpace& space, std::int64_t bracket,
                       std::optional<std::int64_t> trials) {
  return Schedule(space.rungs, space.keep, bracket, trials);
}

const Dimension* find_dimension(const SearchSpace& space, const std::string& name) {
  const auto found = std::ranges::find(space.dimensions, name, &Dimension::name);
  return found == space.dimensions.end() ? nullptr : &*found;
}

/// The most epochs that a trial may have.
std::int64_t most_epochs(const SearchSpace& space, const Config& base) {
  const Dimension* epochs = find_dimension(space, "epochs");
  if (epochs == nullptr) return base.integer("epochs");
  if (epochs->values.empty()) return static_cast<std::int64_t>(epochs->to);
  return std::get<std::int64_t>(std::ranges::max(epochs->values));
}

/// Rungs with the numbers of splits that a dataset has. One with as many epochs as any trial may
/// have is one of all epochs: its trainings are the same.
std::vector<Rung> resolved_rungs(std::vector<Rung> rungs, int num_splits,
                                 std::int64_t most_epochs) {
  for (Rung& rung : rungs) {
    rung.splits = rung.splits == 0 ? num_splits : std::min(rung.splits, num_splits);
    if (rung.epochs >= most_epochs) rung.epochs = 0;
  }
  return rungs;
}

bool has_labelled(const Dataset& dataset, const std::vector<std::uint8_t>& mask) {
  for (std::size_t u = 0; u < mask.size(); ++u) {
    if (mask[u] != 0 && dataset.labels[u] >= 0) return true;
  }
  return false;
}

/// What training needs of each split that a rung uses, and nodes to validate: trials are chosen by
/// them.
void check_splits_of(const Dataset& dataset, const std::vector<Rung>& rungs) {
  std::vector<int> splits(at(std::ranges::max(rungs, {}, &Rung::splits).splits));
  std::iota(splits.begin(), splits.end(), 0);
  check_trainable(dataset, splits);
  for (const int split : splits) {
    if (has_labelled(dataset, dataset.splits[at(split)].validation)) continue;
    throw Error(
        fmt::format("{}: no node with a label validates in split {}, but a sweep chooses by them",
                    dataset.name, split));
  }
}

/// Empty if it cannot be read.
std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string config_text(const Config& config) {
  std::string text;
  for (const Parameter& parameter : config.parameters()) {
    text += fmt::format("{}={} ", parameter.name, to_text(config.value(parameter.name)));
  }
  return text;
}

/// Works on a sweep with several threads.
class Workers {
 public:
  Workers(const Dataset& dataset, const SweepOptions& options, SearchSpace space, Config base)
      : dataset_(dataset),
        options_(options),
        space_(std::move(space)),
        base_(std::move(base)),
        store_(options.folder, false) {
    std::optional<std::int64_t> trials = options.trials;
    if (space_.method == SweepMethod::kGrid) {
      trials = std::min(trials.value_or(space_.grid_size()), space_.grid_size());
    }
    checksum_ = checksum(dataset);
    store_.begin({{"model", options.model},
                  {"dataset", dataset.name},
                  {"checksum", checksum_},
                  {"seed", fmt::format("{}", options.seed)},
                  {"space", space_json(space_)},
                  {"configuration", config_text(base_)}},
                 options.resume);
    const std::map<std::int64_t, std::string> begun = store_.trials();
    if (trials && !begun.empty() && begun.rbegin()->first >= *trials) {
      throw Error(fmt::format("{} holds {} trials, expected that many at least, not {}",
                              options.folder.string(), begun.rbegin()->first + 1, *trials));
    }
    // The first to begin says how large a bracket is; a grid and a random search have but one rung.
    store_.add_fact("bracket", fmt::format("{}", trials.value_or(kOpenBracket)));
    const std::string commit = source_commit();
    store_.add_commit(commit.empty() ? "unknown" : commit);
    schedule_.emplace(make_schedule(space_, parse_integer(store_.fact("bracket")), trials));
    if (trials) {
      const std::vector<std::int64_t> counts = schedule_->num_trainings();
      for (std::size_t rung = 0; rung < counts.size(); ++rung) {
        num_total_ += counts[rung];
        work_total_ += static_cast<double>(counts[rung]) * work_of(space_.rungs[rung].epochs);
      }
    }
    const std::vector<TrainingRecord> records = store_.records();
    for (const TrainingRecord& record : records) before_ = std::max(before_, record.finished_at);
    outcomes_ = outcomes_of(records);
    work_before_ = work_done();
  }

  /// The number of trainings that it did: other processes may have done the rest.
  std::int64_t run(int jobs) {
    num_working_ = jobs;  // before they start: one may be done at once
    std::vector<std::thread> threads;
    try {
      for (int job = 0; job < jobs; ++job) threads.emplace_back([this] { work(); });
    } catch (const std::system_error&) {  // no more threads to be had: these do all
      if (threads.empty()) throw Error("cannot start a thread");
      const std::lock_guard lock(mutex_);
      num_working_ -= jobs - static_cast<int>(threads.size());
    }
    // The display lives in this thread.
    std::unique_lock lock(mutex_);
    while (num_working_ > 0) {
      wake_.wait_for(lock, std::chrono::milliseconds(200));
      if (is_cancel_requested()) idle_.notify_all();
      if (options_.observer) options_.observer(progress());
    }
    lock.unlock();
    for (std::thread& thread : threads) thread.join();
    if (thrown_) std::rethrow_exception(thrown_);
    return num_trained_;
  }

 private:
  /// What a training costs, in epochs: an early rung has fewer.
  double work_of(std::int64_t epochs) const {
    return static_cast<double>(epochs > 0 ? epochs : most_epochs(space_, base_));
  }

  double work_done() const {
    double sum = 0;
    for (const auto& [training, accuracy] : outcomes_) sum += work_of(training.epochs);
    return sum;
  }

  /// Until all is trained or the budget is spent.
  std::optional<double> seconds_left(double seconds) const {
    double left = options_.budget_seconds - seconds;
    const double done = work_done(), done_here = done - work_before_;
    if (num_total_ > 0 && done_here > 0) {
      left = std::min(left, seconds / done_here * (work_total_ - done));
    }
    return std::isfinite(left) ? std::optional(std::max(0.0, left)) : std::nullopt;
  }

  RunConfig run_config(std::int64_t trial) const {
    RunConfig config;
    config.model = options_.model;
    config.dataset = dataset_.name;
    config.checksum = checksum_;
    config.seed = trial_seed(options_.seed, trial);
    config.config = trial_config(space_, base_, options_.seed, trial);
    return config;
  }

  bool is_out_of_time() const { return seconds_since(start_) >= options_.budget_seconds; }

  void work() {
    try {
      while (!is_cancel_requested() && !is_out_of_time()) {
        std::size_t num_known = 0;
        const std::optional<Training> training = take(num_known);
        if (training) {
          train(*training);
        } else if (is_complete()) {
          break;
        } else {
          // Others still train what decides how it goes on; those of other processes say nothing.
          std::unique_lock lock(mutex_);
          idle_.wait_for(lock, std::chrono::seconds(1), [&] {
            return outcomes_.size() > num_known || thrown_ || is_cancel_requested();
          });
        }
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!thrown_) thrown_ = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    --num_working_;
    wake_.notify_all();
    idle_.notify_all();
  }

  /// What is to be trained next; nothing if that depends on outcomes beyond the `num_known`.
  std::optional<Training> take(std::size_t& num_known) {
    const std::lock_guard lock(mutex_);
    if (thrown_) return std::nullopt;
    const auto training = store_.take(
        [&](const Outcomes& outcomes, const std::set<Training>& taken) {
          return schedule_->ready(outcomes, taken, 1);
        },
        outcomes_);
    num_known = outcomes_.size();
    if (training) {
      const std::string toml = write_toml(run_config(training->trial));
      store_.add_trial(training->trial, toml);
      const auto path = options_.folder / fmt::format("trial-{}.toml", training->trial);
      if (read_file(path) != toml) write_file(path, toml);  // one of another sweep, or spoilt
      running_[*training] = {training->trial, training->split, 0, 0};
    }
    return training;
  }

  bool is_complete() {
    const std::lock_guard lock(mutex_);
    return thrown_ || schedule_->is_complete(outcomes_);
  }

  /// The data with features as a configuration wants them: each kind is made once.
  const TrainingData& data_for(const Config& config) {
    const std::lock_guard lock(mutex_);
    const bool is_normalised = normalises_rows(config, dataset_);
    const auto found = data_.find(is_normalised);
    if (found != data_.end()) return found->second;
    return data_.emplace(is_normalised, make_training_data(dataset_, config)).first->second;
  }

  SplitResult train_split(const Training& training, const RunConfig& config,
                          const TrainingData& data) {
    SplitTrainer trainer(data, data.splits[at(training.split)], training.split, options_.model,
                         config.config, config.seed);
    while (!trainer.is_finished()) {
      if (is_cancel_requested()) throw Cancelled();
      trainer.run_epoch();
      const std::lock_guard lock(mutex_);
      running_[training].epoch = trainer.result().epochs;
      running_[training].best_validation = trainer.result().validation.accuracy;
    }
    return trainer.result();
  }

  void train(const Training& training) {
    RunConfig config = run_config(training.trial);
    if (training.epochs > 0) {
      const std::int64_t epochs = std::min(training.epochs, config.config.integer("epochs"));
      config.config.set("epochs", epochs);
    }
    const TrainingData& data = data_for(config.config);
    const Clock::time_point start = Clock::now();
    SplitResult result;
    try {
      result = train_split(training, config, data);
    } catch (const Cancelled&) {
      throw;
    } catch (const std::exception& error) {
      // A model may refuse a combination of values, or be too large for this machine: that is the
      // end of the trial alone.
      const bool is_memory = dynamic_cast<const std::bad_alloc*>(&error) != nullptr;
      result.split = training.split;
      result.failure = is_memory ? "not enough memory" : first_line(error.what());
    }
    if (!has_labelled(dataset_, dataset_.splits[at(training.split)].test)) {
      result.test.accuracy = std::numeric_limits<double>::quiet_NaN();
    }
    result.seconds = seconds_since(start);
    const std::lock_guard lock(mutex_);
    running_.erase(training);
    store_.finish(training, result, before_ + seconds_since(start_));
    ++num_trained_;
    outcomes_ = outcomes_of(store_.records());
    idle_.notify_all();
  }

  SweepProgress progress() const {
    SweepProgress result;
    result.num_done = std::ssize(outcomes_);
    result.num_total = num_total_;
    result.seconds = seconds_since(start_);
    result.seconds_left = seconds_left(result.seconds);
    const std::vector<Standing> standings = schedule_->standings(outcomes_);
    result.num_trials = std::ssize(standings);
    if (!standings.empty() && standings.front().rung >= 0 && !standings.front().is_failed) {
      result.best_trial = standings.front().trial;
      result.best_validation = standings.front().validation;
    }
    for (const auto& [training, running] : running_) result.running.push_back(running);
    return result;
  }

  const Dataset& dataset_;
  const SweepOptions& options_;
  SearchSpace space_;
  Config base_;
  SweepStore store_;
  std::string checksum_;
  std::optional<Schedule> schedule_;
  std::int64_t num_total_ = 0;
  double work_total_ = 0, work_before_ = 0;  // the latter: done when this process came
  double before_ = 0;                        // seconds of work until then
  Clock::time_point start_ = Clock::now();

  std::mutex mutex_;              // of all below, and of the store
  std::condition_variable wake_;  // of the display
  std::condition_variable idle_;  // of threads without a training
  int num_working_ = 0;
  std::int64_t num_trained_ = 0;
  Outcomes outcomes_;
  std::map<bool, TrainingData> data_;  // by whether rows of features are normalised
  std::map<Training, SweepProgress::Running> running_;
  std::exception_ptr thrown_;
};

/// Those of a trial's records that a rung consists of.
std::vector<TrainingRecord> records_of_rung(const std::vector<TrainingRecord>& records,
                                            const Rung& rung) {
  std::vector<TrainingRecord> result;
  for (const TrainingRecord& record : records) {
    const Training& training = record.training;
    if (training.epochs == rung.epochs && training.split < rung.splits) result.push_back(record);
  }
  return result;
}

}  // namespace

Sweep run_sweep(const Dataset& dataset, const SweepOptions& options) {
  const Config base = nn::config_for(options.model, options.base);
  check_trainable(dataset, {});
  if (options.trials && *options.trials < 1) throw Error("a sweep needs one trial at least");
  const bool is_endless = !options.trials && options.space.method != SweepMethod::kGrid &&
                          options.budget_seconds == std::numeric_limits<double>::infinity();
  if (is_endless) throw Error("no end: expected a number of trials, or a budget");
  std::vector<std::string> left_out;
  SearchSpace space = space_for_model(options.space, options.model, left_out);
  space.rungs = resolved_rungs(space.rungs, static_cast<int>(dataset.splits.size()),
                               most_epochs(space, base));
  check_splits_of(dataset, space.rungs);
  std::error_code error;
  std::filesystem::create_directories(options.folder, error);
  if (error) {
    throw Error(fmt::format("{}: cannot create: {}", options.folder.string(), error.message()));
  }
  ops::set_num_threads(options.threads);
  const int jobs = options.jobs > 0 ? options.jobs : num_cores();
  const std::int64_t num_trained = Workers(dataset, options, space, base).run(jobs);
  if (is_cancel_requested()) throw Cancelled();
  Sweep sweep = read_sweep(options.folder);
  sweep.num_trained = num_trained;
  if (const Trial* best = sweep.best()) {
    write_file(
        options.folder / "best.toml",
        fmt::format("# Trial {} of {}: validation accuracy {:.2f} % over {} split{}; commit {}.\n",
                    best->number, sweep.trials.size(), 100 * best->validation, best->num_splits,
                    best->num_splits == 1 ? "" : "s", fmt::join(sweep.commits, ", ")) +
            write_toml({options.model, dataset.name, checksum(dataset), best->seed, best->config}));
  }
  return sweep;
}

Sweep read_sweep(const std::filesystem::path& folder) {
  SweepStore store(folder, true);
  if (!store.has_begun()) throw Error(fmt::format("{}: its sweep has not begun", folder.string()));
  Sweep sweep;
  sweep.model = store.fact("model");
  sweep.dataset = store.fact("dataset");
  const SearchSpace space = space_from_json(store.fact("space"));
  sweep.method = method_name(space.method);
  sweep.dimensions = space.dimensions;
  sweep.num_rungs = static_cast<int>(space.rungs.size());
  sweep.bracket = parse_integer(store.fact("bracket"));
  sweep.commits = store.commits();
  const std::vector<TrainingRecord> records = store.records();
  // After the records: a trial is written down before anything comes of it.
  const std::map<std::int64_t, std::string> configs = store.trials();
  std::map<std::int64_t, std::vector<TrainingRecord>> by_trial;
  for (const TrainingRecord& record : records) by_trial[record.training.trial].push_back(record);
  const Outcomes outcomes = outcomes_of(records);
  const Schedule schedule = make_schedule(space, sweep.bracket, std::nullopt);
  for (const Standing& standing : schedule.standings(outcomes)) {
    Trial trial;
    trial.number = standing.trial;
    trial.rung = standing.rung;
    trial.validation = standing.validation;
    const RunConfig config = parse_toml(
        configs.at(standing.trial), fmt::format("trial {} of {}", trial.number, folder.string()));
    trial.config = config.config;
    trial.seed = config.seed;
    for (const TrainingRecord& record : by_trial[trial.number]) {
      trial.seconds += record.result.seconds;
      if (!record.result.failure.empty()) trial.failure = record.result.failure;
    }
    for (int rung = 0; rung < sweep.num_rungs; ++rung) {
      const auto validation = schedule.score(outcomes, trial.number, rung);
      if (!validation) break;
      RungScore score{*validation, space.rungs[at(rung)].splits, 0, *validation < 0};
      std::vector<double> tests;
      for (const TrainingRecord& record :
           records_of_rung(by_trial[trial.number], space.rungs[at(rung)])) {
        score.finished_at = std::max(score.finished_at, record.finished_at);
        tests.push_back(record.result.test.accuracy);
      }
      trial.rungs.push_back(score);
      if (score.is_failed) break;
      trial.num_splits = score.num_splits;
      trial.finished_at = score.finished_at;
      const auto [mean, deviation] = mean_and_deviation(tests);
      trial.test = mean;
      trial.test_deviation = deviation;
    }
    sweep.trials.push_back(std::move(trial));
  }
  return sweep;
}

}  // namespace dsnn
