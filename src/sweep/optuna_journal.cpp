#include "sweep/optuna_journal.h"

#include "dsnn/util/error.h"

#include "sweep/axis.h"
#include "util/index.h"
#include "util/json_text.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <iterator>
#include <optional>
#include <utility>

namespace dsnn {
namespace {

using Json = nlohmann::ordered_json;

// Codes of operations, states of trials and the direction of a study, as Optuna numbers them.
enum Operation { kCreateStudy = 0, kCreateTrial = 4, kSetState = 6, kSetIntermediateValue = 7 };
enum State { kRunning = 0, kComplete = 1, kPruned = 2, kFail = 3 };
constexpr int kMaximise = 2;

/// "2026-01-31T12:00:00.000000+00:00"
std::string now_text() {
  const auto now = std::chrono::system_clock::now();
  const auto seconds = std::chrono::floor<std::chrono::seconds>(now);
  const auto micros = std::chrono::duration_cast<std::chrono::microseconds>(now - seconds).count();
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:06}+00:00",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(seconds)), micros);
}

Json value_json(const ParameterValue& value) {
  return std::visit([](const auto& v) { return Json(v); }, value);
}

/// A distribution is JSON text within the JSON.
Json distribution_json(const Dimension& dimension, bool is_integer) {
  Json attributes;
  std::string name;
  if (!dimension.values.empty()) {
    name = "CategoricalDistribution";
    attributes["choices"] = Json::array();
    for (const ParameterValue& value : dimension.values) {
      attributes["choices"].push_back(value_json(value));
    }
  } else if (is_integer) {
    name = "IntDistribution";
    attributes = {{"log", dimension.is_log},
                  {"step", 1},
                  {"low", static_cast<std::int64_t>(dimension.from)},
                  {"high", static_cast<std::int64_t>(dimension.to)}};
  } else {
    name = "FloatDistribution";
    attributes = {{"step", nullptr},
                  {"low", dimension.from},
                  {"high", dimension.to},
                  {"log", dimension.is_log}};
  }
  return json_text(Json{{"name", name}, {"attributes", attributes}});
}

/// A number of a range; of a list, the place of the value.
Json internal_value(const Dimension& dimension, const ParameterValue& value) {
  if (dimension.values.empty()) return number_of(value).value_or(0);
  return std::ranges::find(dimension.values, value) - dimension.values.begin();
}

}  // namespace

OptunaJournal::OptunaJournal(std::filesystem::path path, std::string study, SearchSpace space)
    : path_(std::move(path)), study_(std::move(study)), space_(std::move(space)) {}

void OptunaJournal::update(const std::map<std::int64_t, Config>& configs,
                           const std::vector<TrainingRecord>& records, const Schedule& schedule) {
  read();
  if (!has_study_) {
    append({{"study_name", study_}, {"directions", {kMaximise}}}, kCreateStudy);
    has_study_ = true;
  }
  // Numbers are given in the order of creation.
  for (auto next = configs.find(std::ssize(trials_));
       next != configs.end() && next->first == std::ssize(trials_); ++next) {
    create_trial(next->second);
    trials_.emplace_back();
  }
  const auto is_open = [&](std::int64_t trial) {
    return trial < std::ssize(trials_) && !trials_[at(trial)].is_finished;
  };
  for (const TrainingRecord& record : records) {
    const std::int64_t trial = record.training.trial, step = step_of(record.training);
    const bool has_score = record.result.failure.empty();
    if (!is_open(trial) || !has_score || !trials_[at(trial)].steps.insert(step).second) continue;
    append({{"trial_id", trial},
            {"step", step},
            {"intermediate_value", record.result.validation.value()}},
           kSetIntermediateValue);
  }
  const Outcomes outcomes = outcomes_of(records);
  const std::set<std::int64_t> settled = schedule.settled(outcomes);
  for (const Standing& standing : schedule.standings(outcomes)) {
    if (!is_open(standing.trial) || !settled.contains(standing.trial)) continue;
    const bool is_last = standing.rung + 1 == std::ssize(space_.rungs);
    const State state = standing.is_failed ? kFail : is_last ? kComplete : kPruned;
    append({{"trial_id", standing.trial},
            {"state", static_cast<int>(state)},
            {"values", state == kFail ? Json() : Json{standing.validation}},
            {"datetime_complete", now_text()}},
           kSetState);
    trials_[at(standing.trial)].is_finished = true;
  }
  if (pending_.empty()) return;
  std::ofstream file(path_, std::ios::binary | std::ios::app);
  file << pending_ << std::flush;
  if (!file) throw Error(fmt::format("{}: cannot write", path_.string()));
  num_read_ += pending_.size();
  pending_.clear();
}

void OptunaJournal::read() {
  std::ifstream file(path_, std::ios::binary);
  if (!file) {
    num_read_ = 0;
    has_study_ = false;
    trials_.clear();
    return;
  }
  file.seekg(static_cast<std::streamoff>(num_read_));
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  std::size_t begin = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin)) {
    const Json json = parse_json(text.substr(begin, end - begin));
    begin = end + 1;
    const auto trial = [&]() -> Reported* {
      const std::int64_t id = json.value("trial_id", std::int64_t{-1});
      return id >= 0 && id < std::ssize(trials_) ? &trials_[at(id)] : nullptr;
    };
    switch (json.is_object() ? json.value("op_code", -1) : -1) {
      case kCreateStudy:
        has_study_ = true;
        break;
      case kCreateTrial:
        trials_.emplace_back();
        break;
      case kSetState:
        if (Reported* reported = trial())
          reported->is_finished = json.value("state", 0) != kRunning;
        break;
      case kSetIntermediateValue:
        if (Reported* reported = trial())
          reported->steps.insert(json.value("step", std::int64_t{}));
        break;
      default:
        break;  // of Optuna itself, which may write to it, too
    }
  }
  num_read_ += begin;
  // A line that a kill has cut.
  if (begin < text.size()) std::filesystem::resize_file(path_, num_read_);
}

void OptunaJournal::append(Json operation, int code) {
  Json line = {{"op_code", code}, {"worker_id", "dsnn"}};
  line.update(operation);
  pending_ += json_text(line) + "\n";
}

void OptunaJournal::create_trial(const Config& config) {
  Json distributions = Json::object(), params = Json::object();
  for (const Dimension& dimension : space_.dimensions) {
    const ParameterValue& value = config.value(dimension.name);
    distributions[dimension.name] =
        distribution_json(dimension, std::holds_alternative<std::int64_t>(value));
    params[dimension.name] = internal_value(dimension, value);
  }
  append({{"study_id", 0},
          {"datetime_start", now_text()},
          {"state", static_cast<int>(kRunning)},
          {"distributions", distributions},
          {"params", params}},
         kCreateTrial);
}

std::int64_t OptunaJournal::step_of(const Training& training) const {
  std::int64_t before = 0;
  for (const Rung& rung : space_.rungs) {
    if (rung.epochs == training.epochs && training.split < rung.splits) break;
    before += rung.splits;
  }
  return before + training.split;
}

}  // namespace dsnn
