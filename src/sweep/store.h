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

/// The outcome of one training.
struct TrainingRecord {
  Training training;
  SplitResult result;
  double finished_at = 0;  ///< seconds of the sweep's working time
};

/// Their validation accuracies; -1 for a failed training.
Outcomes outcomes_of(const std::vector<TrainingRecord>& records);

/// The file sweep.sqlite of a sweep. Several processes may use it at the same time; each training
/// is done by one of them. Trainings claimed by a process are released if it dies: a living process
/// holds a lock on its own file.
class DSNN_INTERNAL_API SweepStore {
 public:
  SweepStore(const std::filesystem::path& folder, bool read_only);
  ~SweepStore();

  /// Facts about the sweep, names and values; those of an existing sweep must be the same. Throws
  /// Error that names the first difference.
  using Facts = std::vector<std::pair<std::string, std::string>>;
  void begin(const Facts& facts, bool resume);
  bool has_begun();  ///< whether it has all facts
  std::string fact(const std::string& name);
  /// The number of trials that are compared with each other, decided by the first process.
  void begin_bracket(std::int64_t size);
  std::int64_t bracket();
  /// The number of trials: the largest requested by a process; nothing before.
  void ask_for(std::int64_t num_trials);
  std::optional<std::int64_t> num_trials();
  /// Commits of the builds that worked on it.
  void add_commit(const std::string& commit);
  std::vector<std::string> commits();

  /// Claims the first training offered by `choose`, given all outcomes and claims of other
  /// processes; `records` returns all current records.
  using Choose = std::function<std::vector<Training>(const Outcomes&, const std::set<Training>&)>;
  std::optional<Training> take(const Choose& choose, std::vector<TrainingRecord>& records);
  /// Seconds of the sweep's working time. The clock continues from the time when the last process
  /// left; a process that joins others uses their clock.
  double join_clock();
  /// Claims that are not finished are released when the store is closed.
  /// Only the first outcome of a training counts: a second can only come from a process that was
  /// assumed dead because its lock file was removed.
  void finish(const TrainingRecord& record);

  /// Stores the configuration of a trial unless it has one; returns the stored one.
  std::string add_trial(std::int64_t trial, const std::string& toml);
  std::map<std::int64_t, std::string> trials();

  std::vector<TrainingRecord> records();  ///< by trial, epochs and split

 private:
  /// Releases the claims of dead processes.
  void free_orphans();
  /// The integer value of a fact; nothing if missing.
  std::optional<std::int64_t> integer_fact(const std::string& name);
  /// Adds a fact unless it exists.
  void add_fact(const std::string& name, const std::string& value);

  std::filesystem::path folder_;
  Database database_;
  std::string owner_;
  int lock_ = -1;
};

}  // namespace dsnn
