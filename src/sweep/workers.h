#pragma once

#include "dsnn/sweep/sweep.h"

#include "sweep/optuna_journal.h"
#include "sweep/store.h"
#include "sweep/time_left.h"
#include "train/run_folder.h"
#include "train/split_trainer.h"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace dsnn {

/// The threads of a process that works on a sweep. They claim trainings from the store, train, and
/// store the outcomes, until all is done, the budget is spent or the user cancels.
class Workers {
 public:
  /// Starts the sweep, or joins it if it is the same. `space` has resolved numbers of splits and
  /// epochs of the rungs; `most_epochs`: the largest number of epochs of a trial.
  Workers(const Dataset& dataset, const SweepOptions& options, SearchSpace space, Config base,
          std::int64_t most_epochs);

  /// Trains with this many threads; the observer is called from this thread. Returns the number of
  /// trainings done here; other processes may have done the rest.
  std::int64_t run(int jobs);

 private:
  void work();
  /// The next training; nothing if it depends on outcomes beyond the first `num_known`.
  std::optional<Training> take(std::size_t& num_known);
  void train(const Training& training);
  SplitResult train_split(const Training& training, const RunConfig& config);
  bool is_complete();
  bool is_out_of_time() const;

  RunConfig run_config(std::int64_t trial) const;  ///< drawn
  RunConfig taken_config(std::int64_t trial);      ///< of a claimed training
  std::unique_ptr<SplitTask> make_task(const Config& config, int split);
  /// The nodes' data with the features of a configuration; each kind is prepared once.
  const TrainingData& data_for(const Config& config);
  /// Writes trial-N.toml unless it exists.
  void write_trial(std::int64_t trial, const std::string& toml) const;

  /// Brings journal.log up to date.
  void write_journal();

  SweepProgress progress() const;
  /// Calls the observer without holding the mutex: a blocked terminal must not block training.
  void show(std::unique_lock<std::mutex>& lock);
  /// Until all is trained or the budget is spent, `seconds` after this process started.
  std::optional<double> seconds_left(double seconds,
                                     const std::vector<TrainingRecord>& planned) const;

  const Dataset& dataset_;
  const SweepOptions& options_;
  SearchSpace space_;
  Config base_;
  std::int64_t most_epochs_;
  std::optional<std::int64_t> num_trials_;
  SweepStore store_;
  OptunaJournal journal_;
  std::map<std::int64_t, Config> journal_configs_;  // of its trials
  std::string checksum_;
  std::optional<Schedule> schedule_;
  TrainingPlan plan_;          // empty if unlimited
  double trained_before_ = 0;  // seconds of training before this process joined
  double worked_before_ = 0;   // the sweep's working time before this process joined
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();

  std::mutex mutex_;              // for all members below, and the store
  std::condition_variable wake_;  // of the display
  std::condition_variable idle_;  // of threads without a training
  int num_working_ = 0;
  std::int64_t num_trained_ = 0;
  std::vector<TrainingRecord> records_;
  Outcomes outcomes_;                          // of the records
  std::map<std::int64_t, RunConfig> configs_;  // of trials with claimed trainings
  std::map<std::pair<std::string, std::string>, TrainingData> data_;  // by feature preparation
  std::map<Training, SweepProgress::Running> running_;
  std::exception_ptr thrown_;
};

}  // namespace dsnn
