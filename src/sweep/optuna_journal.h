#pragma once

#include "dsnn/sweep/space.h"

#include "sweep/schedule.h"
#include "sweep/store.h"
#include "util/internal_api.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace dsnn {

/// journal.log of a sweep: its trials as operations of Optuna's journal storage, which
/// optuna-dashboard shows while the sweep runs. The file is only appended to, and what it holds
/// already is read from it: several processes may append, one at a time.
class DSNN_INTERNAL_API OptunaJournal {
 public:
  /// Nothing is read or written yet.
  OptunaJournal(std::filesystem::path path, std::string study, SearchSpace space);

  /// Appends the trials, outcomes and ends of trials that the file lacks. `configs` are those of
  /// the trials, by number. To be called by one process at a time.
  void update(const std::map<std::int64_t, Config>& configs,
              const std::vector<TrainingRecord>& records, const Schedule& schedule);

 private:
  /// What the file holds of a trial.
  struct Reported {
    std::set<std::int64_t> steps;
    bool is_finished = false;
  };

  void read();
  void append(nlohmann::ordered_json operation, int code);
  void create_trial(const Config& config);
  /// Where a training stands among those that a trial may have.
  std::int64_t step_of(const Training& training) const;

  std::filesystem::path path_;
  std::string study_;
  SearchSpace space_;
  std::uintmax_t num_read_ = 0;  ///< bytes of the file
  bool has_study_ = false;
  std::vector<Reported> trials_;
  std::string pending_;  ///< lines to append
};

}  // namespace dsnn
