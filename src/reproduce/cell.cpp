#include "reproduce/cell.h"

#include "dsnn/util/error.h"

#include "train/origin.h"
#include "util/folder_lock.h"
#include "util/json_text.h"
#include "util/machine.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>

namespace dsnn::reproduce {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// Lines of seconds, jobs, cores, commit and processor, several for each call that trained the cell.
constexpr const char* kTimesFile = "times.txt";

/// Whether config.toml in the folder belongs to this run; a damaged file does not.
bool holds_run(const fs::path& folder, const RunConfig& config) {
  try {
    return read_toml(folder / "config.toml").fingerprint() == config.fingerprint();
  } catch (const Error&) {
    return false;
  }
}

/// A last line that was truncated by a crash is ignored.
void read_times(const fs::path& path, CellScores& scores) {
  std::ifstream file(path);
  double seconds = 0;
  Circumstances each;
  while (file >> seconds >> each.jobs >> each.cores >> each.commit >> std::ws &&
         std::getline(file, each.processor)) {
    scores.wall_seconds += seconds;
    if (std::ranges::find(scores.circumstances, each) == scores.circumstances.end()) {
      scores.circumstances.push_back(each);
    }
  }
}

}  // namespace

Circumstances current_circumstances(int jobs) {
  const std::string commit = source_commit();
  return {commit.empty() ? "unknown" : commit, jobs, num_cores(), processor_name()};
}

Mark mark_of(double ours, const MeanAndDeviation& paper) {
  constexpr double kRounding = 1e-9;  // 84.33 lies one deviation from 84.86 +- 0.53
  const double distance = std::abs(ours - paper.mean) - kRounding;
  if (distance <= paper.deviation) return Mark::kAgrees;
  return distance <= 2 * paper.deviation ? Mark::kClose : Mark::kDiffers;
}

const char* to_text(Mark mark) {
  switch (mark) {
    case Mark::kAgrees:
      return "agrees";
    case Mark::kClose:
      return "close";
    case Mark::kDiffers:
      break;
  }
  return "differs";
}

std::vector<const SeedRun*> Cell::shown_runs() const {
  std::vector<const SeedRun*> shown;
  for (const bool is_of_search : {false, true}) {
    for (const SeedRun& run : runs) {
      if (run.is_of_search == is_of_search && run.scores) shown.push_back(&run);
    }
    if (!shown.empty()) break;
  }
  return shown;
}

void Cell::combine_runs() {
  scores.reset();
  failure.clear();
  for (const SeedRun& run : runs) {
    if (failure.empty()) failure = run.failure;
  }
  const std::vector<const SeedRun*> shown = shown_runs();
  if (shown.empty()) return;
  scores = shown.front()->scores;
  const auto share = 1 / static_cast<double>(shown.size());
  for (double& accuracy : scores->accuracies) accuracy *= share;
  scores->validation *= share;
  for (std::size_t i = 1; i < shown.size(); ++i) {
    const CellScores& other = *shown[i]->scores;
    for (std::size_t k = 0; k < other.accuracies.size(); ++k) {
      scores->accuracies[k] += share * other.accuracies[k];
    }
    scores->seeds.insert(scores->seeds.end(), other.seeds.begin(), other.seeds.end());
    scores->seed_means.insert(scores->seed_means.end(), other.seed_means.begin(),
                              other.seed_means.end());
    scores->validation += share * other.validation;
    scores->seconds += other.seconds;
    scores->wall_seconds += other.wall_seconds;
    for (const Circumstances& each : other.circumstances) {
      if (std::ranges::find(scores->circumstances, each) == scores->circumstances.end()) {
        scores->circumstances.push_back(each);
      }
    }
    scores->arithmetic = scores->arithmetic.joined_with(other.arithmetic);
    scores->num_splits += other.num_splits;
    scores->num_failed += other.num_failed;
    if (scores->failure.empty()) scores->failure = other.failure;
  }
}

RunConfig Cell::config_of(const SeedRun& run) const {
  RunConfig result = config.value();
  result.seed = run.seed;
  return result;
}

bool Cell::is_incomplete() const {
  return scores && std::ranges::any_of(runs, [](const SeedRun& run) { return run.is_pending(); });
}

std::optional<double> Cell::difference() const {
  if (!is_scored() || !paper) return std::nullopt;
  return scores->mean().mean - paper->mean;
}

std::optional<Mark> Cell::mark() const {
  if (!is_scored() || !paper) return std::nullopt;
  return mark_of(scores->mean().mean, *paper);
}

std::optional<CellScores> read_scores(const fs::path& folder, const RunConfig& config,
                                      std::size_t num_splits, const std::string& score) {
  std::ifstream file(folder / "result.json", std::ios::binary);
  if (!file || !holds_run(folder, config)) return std::nullopt;
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  try {
    const Json json = parse_json(text);
    CellScores scores;
    scores.arithmetic = read_arithmetic(text);
    for (const Json& split : json.at("splits")) {
      // Splits that failed in the first epoch have no scores.
      scores.accuracies.push_back(split.value("test_" + score, 0.0));
      scores.validation += split.value("val_" + score, 0.0) / static_cast<double>(num_splits);
      scores.seconds += split.at("seconds").get<double>();
      if (!split.contains("failure")) continue;
      if (scores.num_failed++ == 0) scores.failure = split.at("failure").get<std::string>();
    }
    if (scores.accuracies.size() != num_splits) return std::nullopt;
    scores.num_splits = static_cast<int>(num_splits);
    scores.seeds = {config.seed};
    scores.seed_means = {scores.mean().mean};
    read_times(folder / kTimesFile, scores);
    return scores;
  } catch (
      const Json::exception&) {  // damaged: training continues from its checkpoints and rewrites it
    return std::nullopt;
  }
}

void add_wall_seconds(const fs::path& folder, double seconds, const Circumstances& with) {
  std::ofstream(folder / kTimesFile, std::ios::app) << fmt::format(
      "{:.3f} {} {} {} {}\n", seconds, with.jobs, with.cores, with.commit, with.processor);
}

bool is_in_use(const fs::path& folder) {
  std::error_code ignored;
  return fs::is_directory(folder, ignored) && !FolderLock(folder).try_lock();
}

fs::path set_other_run_aside(const fs::path& folder, const RunConfig& config) {
  if (!fs::exists(folder / "config.toml") || holds_run(folder, config)) return {};
  fs::path aside;
  int number = 0;
  do {
    aside = folder.string() + fmt::format(".old-{}", ++number);
  } while (fs::exists(aside));
  std::error_code error;
  fs::rename(folder, aside, error);
  if (error) {
    throw Error(fmt::format("{}: cannot rename to {}: {}", folder.string(), aside.string(),
                            error.message()));
  }
  return aside;
}

}  // namespace dsnn::reproduce
