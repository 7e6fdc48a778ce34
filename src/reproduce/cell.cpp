#include "reproduce/cell.h"

#include "dsnn/util/error.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <fstream>

namespace dsnn::reproduce {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr const char* kWallFile =
    "wall-seconds.txt";  // a line for each time that it was trained on

/// Whether config.toml in the folder is that of this run; a damaged one is not.
bool holds_run(const fs::path& folder, const RunConfig& config) {
  try {
    return read_toml(folder / "config.toml").fingerprint() == config.fingerprint();
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

Mark mark_of(double ours, const MeanAndDeviation& paper) {
  const double distance = std::abs(ours - paper.mean);
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

std::optional<double> Cell::difference() const {
  if (!is_scored() || !paper) return std::nullopt;
  return scores->mean().mean - paper->mean;
}

std::optional<Mark> Cell::mark() const {
  if (!is_scored() || !paper) return std::nullopt;
  return mark_of(scores->mean().mean, *paper);
}

std::optional<CellScores> read_scores(const fs::path& folder, const RunConfig& config,
                                      std::size_t num_splits) {
  std::ifstream file(folder / "result.json", std::ios::binary);
  if (!file || !holds_run(folder, config)) return std::nullopt;
  try {
    const Json json = Json::parse(file);
    CellScores scores;
    for (const Json& split : json.at("splits")) {
      scores.accuracies.push_back(split.at("test_accuracy").get<double>());
      scores.validation += split.at("val_accuracy").get<double>() / static_cast<double>(num_splits);
      scores.seconds += split.at("seconds").get<double>();
      if (!split.contains("failure")) continue;
      if (scores.num_failed++ == 0) scores.failure = split.at("failure").get<std::string>();
    }
    if (scores.accuracies.size() != num_splits) return std::nullopt;
    scores.commit = json.value("commit", "");
    scores.processor = json.value("processor", "");
    std::ifstream times(folder / kWallFile);
    for (double seconds; times >> seconds;) scores.wall_seconds += seconds;
    return scores;
  } catch (const Json::exception&) {  // damaged: training finds its checkpoints and writes it anew
    return std::nullopt;
  }
}

void add_wall_seconds(const fs::path& folder, double seconds) {
  std::ofstream(folder / kWallFile, std::ios::app) << fmt::format("{:.3f}\n", seconds);
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
