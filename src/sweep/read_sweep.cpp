#include "dsnn/sweep/sweep.h"
#include "dsnn/util/error.h"

#include "sweep/space_json.h"
#include "sweep/store.h"
#include "train/run_folder.h"
#include "util/index.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace dsnn {
namespace {

/// The records of a trial that belong to a rung.
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

Sweep read_sweep(const std::filesystem::path& folder) {
  SweepStore store(folder, true);
  if (!store.has_begun())
    throw Error(fmt::format("{}: the sweep has not started", folder.string()));
  Sweep sweep;
  sweep.model = store.fact("model");
  sweep.dataset = store.fact("dataset");
  const SearchSpace space = space_from_json(store.fact("space"));
  sweep.method = method_name(space.method);
  sweep.dimensions = space.dimensions;
  sweep.num_rungs = static_cast<int>(space.rungs.size());
  sweep.bracket = store.bracket();
  sweep.commits = store.commits();
  const std::vector<TrainingRecord> records = store.records();
  // Read after the records: a trial is stored before its first record.
  const std::map<std::int64_t, std::string> configs = store.trials();
  std::map<std::int64_t, std::vector<TrainingRecord>> by_trial;
  for (const TrainingRecord& record : records) by_trial[record.training.trial].push_back(record);
  const Outcomes outcomes = outcomes_of(records);
  const Schedule schedule(space.rungs, space.keep, sweep.bracket, store.num_trials());
  sweep.is_complete = schedule.is_complete(outcomes);
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
        tests.push_back(record.result.test.value());
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
