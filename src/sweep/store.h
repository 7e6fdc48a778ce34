#pragma once

#include "dsnn/train/train.h"

#include "sweep/database.h"
#include "sweep/schedule.h"
#include "util/internal_api.h"

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace dsnn {

/// What came of one training.
struct TrainingRecord {
  Training training;
  SplitResult result;
  double finished_at = 0;  ///< seconds of work of the sweep until then
};

/// Their validation accuracies; -1 where one failed.
Outcomes outcomes_of(const std::vector<TrainingRecord>& records);

/// The file sweep.sqlite of a sweep. Several processes may use it at a time; each training is done
/// by one of them. What a process has taken comes back if it dies: as long as it lives it holds a
/// lock on a file of its own.
class DSNN_INTERNAL_API SweepStore {
 public:
  SweepStore(const std::filesystem::path& folder, bool read_only);
  ~SweepStore();

  /// Facts about the sweep, names and values; those of a sweep that is there must be the same.
  /// Throws Error that names the first that is not.
  using Facts = std::vector<std::pair<std::string, std::string>>;
  void begin(const Facts& facts, bool resume);
  bool has_begun();  ///< whether it has all facts
  std::string fact(const std::string& name);
  /// How many trials are compared with each other. The first who begins decides.
  void begin_bracket(std::int64_t size);
  std::int64_t bracket();
  /// How many trials there are to be: the most that a process has asked for. Nothing until then.
  void ask_for(std::int64_t num_trials);
  std::optional<std::int64_t> num_trials();
  /// Commits of the programs that worked on it.
  void add_commit(const std::string& commit);
  std::vector<std::string> commits();

  /// Takes the first training of those that `choose` offers, given all outcomes and what others
  /// have taken; `records` become all of now.
  using Choose = std::function<std::vector<Training>(const Outcomes&, const std::set<Training>&)>;
  std::optional<Training> take(const Choose& choose, std::vector<TrainingRecord>& records);
  /// Seconds of work of the sweep until now. Its clock goes on where it stood when the last process
  /// left; who joins others at work has theirs.
  double join_clock();
  /// What is taken and not finished comes back when the store is closed.
  /// The first outcome of a training counts: another can only be of a process that was taken for
  /// dead, because its lock file was removed.
  void finish(const TrainingRecord& record);

  /// Keeps the configuration of a trial, unless it has one; returns that.
  std::string add_trial(std::int64_t trial, const std::string& toml);
  std::map<std::int64_t, std::string> trials();

  std::vector<TrainingRecord> records();  ///< by trial, epochs and split

  /// Runs `work` while no other process uses the store. It may read the store, not change it.
  void alone(const std::function<void()>& work) { database_.transaction(work); }

 private:
  /// Frees what dead processes had taken.
  void free_orphans();
  /// The whole number that a fact is; nothing if there is none.
  std::optional<std::int64_t> integer_fact(const std::string& name);
  /// Adds a fact unless it is there.
  void add_fact(const std::string& name, const std::string& value);

  std::filesystem::path folder_;
  Database database_;
  std::string owner_;
  int lock_ = -1;
};

}  // namespace dsnn
