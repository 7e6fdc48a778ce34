#include "sweep/workers.h"

#include "dsnn/util/error.h"
#include "dsnn/util/output_file.h"
#include "dsnn/util/progress.h"

#include "sweep/space_json.h"
#include "train/link_task.h"
#include "train/node_task.h"
#include "train/origin.h"
#include "util/duration.h"
#include "util/first_line.h"
#include "util/index.h"

#include <fmt/format.h>
#include <system_error>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <new>
#include <thread>
#include <utility>

namespace dsnn {
namespace {

// Trials of a bracket if the total is not known in advance.
constexpr std::int64_t kOpenBracket = 27;

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

double training_seconds(const std::vector<TrainingRecord>& records) {
  double sum = 0;
  for (const TrainingRecord& record : records) sum += record.result.seconds;
  return sum;
}

}  // namespace

Workers::Workers(const Dataset& dataset, const SweepOptions& options, SearchSpace space,
                 Config base, std::int64_t most_epochs)
    : dataset_(dataset),
      options_(options),
      space_(std::move(space)),
      base_(std::move(base)),
      most_epochs_(most_epochs),
      num_trials_(options.trials),
      store_(options.folder, false),
      journal_(options.folder / "journal.log", fmt::format("{} on {}", options.model, dataset.name),
               space_) {
  if (space_.method == SweepMethod::kGrid) {
    num_trials_ = std::min(num_trials_.value_or(space_.grid_size()), space_.grid_size());
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
  if (num_trials_ && !begun.empty() && begun.rbegin()->first >= *num_trials_) {
    throw Error(fmt::format("{} contains {} trials, expected at least as many, not {}",
                            options.folder.string(), begun.rbegin()->first + 1, *num_trials_));
  }
  for (const auto& [trial, toml] : begun) write_trial(trial, toml);
  // The first process decides the size of a bracket; a grid and a random search have only one rung.
  store_.begin_bracket(num_trials_.value_or(kOpenBracket));
  if (num_trials_) store_.ask_for(*num_trials_);
  const std::string commit = source_commit();
  store_.add_commit(commit.empty() ? "unknown" : commit);
  schedule_.emplace(space_.rungs, space_.keep, store_.bracket(), num_trials_);
  if (num_trials_) {
    const std::vector<std::int64_t> counts = schedule_->num_trainings();
    for (std::size_t rung = 0; rung < counts.size(); ++rung) {
      plan_[space_.rungs[rung].epochs] += counts[rung];
    }
  }
  records_ = store_.records();
  outcomes_ = outcomes_of(records_);
  trained_before_ = training_seconds(records_);
  worked_before_ = store_.join_clock();
}

std::int64_t Workers::run(int jobs) {
  num_working_ = jobs;  // before they start, because one may finish immediately
  std::vector<std::thread> threads;
  try {
    for (int job = 0; job < jobs; ++job) {
      threads.emplace_back([this, task = Task::current()] {
        const Task::Scope scope(task);
        work();
      });
    }
  } catch (const std::system_error&) {  // no more threads available: continue with these
    if (threads.empty()) throw Error("cannot start a thread");
    const std::lock_guard lock(mutex_);
    num_working_ -= jobs - static_cast<int>(threads.size());
  }
  std::unique_lock lock(mutex_);
  while (num_working_ > 0) {
    wake_.wait_for(lock, std::chrono::milliseconds(200));
    if (is_cancel_requested()) idle_.notify_all();
    if (options_.observer && !thrown_) show(lock);
  }
  lock.unlock();
  for (std::thread& thread : threads) thread.join();
  if (thrown_) std::rethrow_exception(thrown_);
  return num_trained_;
}

void Workers::show(std::unique_lock<std::mutex>& lock) {
  const SweepProgress now = progress();
  lock.unlock();
  std::exception_ptr thrown;
  try {
    options_.observer(now);
  } catch (...) {
    thrown = std::current_exception();
  }
  lock.lock();
  if (thrown && !thrown_) thrown_ = thrown;
}

void Workers::work() {
  try {
    while (!is_cancel_requested() && !is_out_of_time()) {
      std::size_t num_known = 0;
      const std::optional<Training> training = take(num_known);
      if (training) {
        train(*training);
      } else if (is_complete()) {
        break;
      } else {
        // Other trainings must finish first; other processes send no notification.
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

std::optional<Training> Workers::take(std::size_t& num_known) {
  const std::lock_guard lock(mutex_);
  if (thrown_) return std::nullopt;
  const auto training = store_.take(
      [&](const Outcomes& outcomes, const std::set<Training>& taken) {
        return schedule_->ready(outcomes, taken, 1);
      },
      records_);
  outcomes_ = outcomes_of(records_);
  num_known = outcomes_.size();
  if (training) {
    const std::int64_t trial = training->trial;
    // Trains the stored configuration: another machine or commit may draw a different one.
    const std::string toml = store_.add_trial(trial, write_toml(run_config(trial)));
    write_trial(trial, toml);
    configs_[trial] =
        parse_toml(toml, fmt::format("trial {} of {}", trial, options_.folder.string()));
    running_[*training] = {trial, training->split, 0, 0};
    write_journal();
  }
  return training;
}

void Workers::write_trial(std::int64_t trial, const std::string& toml) const {
  const auto path = options_.folder / fmt::format("trial-{}.toml", trial);
  if (read_file(path) != toml) write_file(path, toml);  // missing, damaged, or of another sweep
}

void Workers::write_journal() {
  store_.alone([&] {
    for (const auto& [trial, toml] : store_.trials()) {
      if (journal_configs_.contains(trial)) continue;
      journal_configs_[trial] =
          parse_toml(toml, fmt::format("trial {} of {}", trial, options_.folder.string())).config;
    }
    journal_.update(journal_configs_, store_.records(), *schedule_);
  });
}

void Workers::train(const Training& training) {
  RunConfig config = taken_config(training.trial);
  if (training.epochs > 0) {
    const std::int64_t epochs = std::min(training.epochs, config.config.integer("epochs"));
    config.config.set("epochs", epochs);
  }
  const auto start = std::chrono::steady_clock::now();
  TrainingRecord record;
  record.training = training;
  SplitResult& result = record.result;
  try {
    result = train_split(training, config);
  } catch (const Cancelled&) {
    throw;
  } catch (const std::exception& error) {
    // A model may reject a combination of values, or be too large for this machine: only this trial
    // fails.
    const bool is_memory = dynamic_cast<const std::bad_alloc*>(&error) != nullptr;
    result.split = training.split;
    result.failure = is_memory ? "not enough memory" : first_line(error.what());
  }
  if (result.num_test == 0) result.test.metric = std::numeric_limits<double>::quiet_NaN();
  result.seconds = seconds_since(start);
  const std::lock_guard lock(mutex_);
  running_.erase(training);
  record.finished_at = worked_before_ + seconds_since(start_);
  store_.finish(record);
  ++num_trained_;
  records_.push_back(std::move(record));
  outcomes_ = outcomes_of(records_);
  write_journal();
  idle_.notify_all();
}

SplitResult Workers::train_split(const Training& training, const RunConfig& config) {
  SplitTrainer trainer(make_task(config.config, training.split), training.split, options_.model,
                       config.config, config.seed,
                       engine::Device::of_word(options_.device, options_.threads));
  while (!trainer.is_finished()) {
    if (is_cancel_requested()) throw Cancelled();
    trainer.run_epoch(options_.threads);
    const std::lock_guard lock(mutex_);
    running_[training].epoch = trainer.result().epochs;
    running_[training].best_validation = trainer.result().validation.value();
  }
  return trainer.result();
}

bool Workers::is_complete() {
  const std::lock_guard lock(mutex_);
  return thrown_ || schedule_->is_complete(outcomes_);
}

bool Workers::is_out_of_time() const { return seconds_since(start_) >= options_.budget_seconds; }

RunConfig Workers::run_config(std::int64_t trial) const {
  RunConfig config;
  config.model = options_.model;
  config.dataset = dataset_.name;
  config.checksum = checksum_;
  config.seed = trial_seed(options_.seed, trial);
  config.config = trial_config(space_, base_, options_.seed, trial);
  return config;
}

RunConfig Workers::taken_config(std::int64_t trial) {
  const std::lock_guard lock(mutex_);
  return configs_.at(trial);
}

std::unique_ptr<SplitTask> Workers::make_task(const Config& config, int split) {
  if (task_of(config) == TaskKind::kLinks) {
    return std::make_unique<LinkTask>(dataset_, config, split);
  }
  return std::make_unique<NodeTask>(data_for(config), split);
}

const TrainingData& Workers::data_for(const Config& config) {
  const std::lock_guard lock(mutex_);
  const std::pair key(config.word("normalise_features"), config.word("degree_features"));
  const auto found = data_.find(key);
  if (found != data_.end()) return found->second;
  const FeaturePreparation preparation = fit_preparation(dataset_, config);
  return data_.emplace(key, make_training_data(dataset_, preparation)).first->second;
}

SweepProgress Workers::progress() const {
  std::vector<TrainingRecord> planned;  // another process may have more trials than this one
  std::ranges::copy_if(records_, std::back_inserter(planned), [&](const TrainingRecord& record) {
    return !num_trials_ || record.training.trial < *num_trials_;
  });
  SweepProgress result;
  result.num_done = std::ssize(planned);
  for (const auto& [limit, count] : plan_) result.num_total += count;
  if (num_trials_) result.num_total = std::max(result.num_total, result.num_done);
  result.seconds = seconds_since(start_);
  result.seconds_left = seconds_left(result.seconds, planned);
  const std::vector<Standing> standings = schedule_->standings(outcomes_);
  result.num_trials = std::ssize(standings);
  if (!standings.empty() && standings.front().rung >= 0 && !standings.front().is_failed) {
    result.best_trial = standings.front().trial;
    result.best_validation = standings.front().validation;
  }
  for (const auto& [training, running] : running_) result.running.push_back(running);
  return result;
}

std::optional<double> Workers::seconds_left(double seconds,
                                            const std::vector<TrainingRecord>& planned) const {
  double left = options_.budget_seconds - seconds;
  if (num_trials_) {
    // For all processes: the remaining work at the speed of the work done meanwhile.
    const auto work = training_seconds_left(plan_, planned, most_epochs_);
    const double trained = training_seconds(records_) - trained_before_;
    if (work && *work == 0) return 0;
    if (work && trained > 0) left = std::min(left, *work * seconds / trained);
  }
  return std::isfinite(left) ? std::optional(std::max(0.0, left)) : std::nullopt;
}

}  // namespace dsnn
