#include "reproduce/check.h"

#include "dsnn/train/train.h"
#include "dsnn/util/error.h"
#include "dsnn/util/progress.h"

#include "reproduce/differences.h"
#include "reproduce/train_one.h"
#include "train/run_folder.h"
#include "util/duration.h"
#include "util/first_line.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>
#include <map>
#include <new>
#include <optional>
#include <utility>

namespace dsnn::reproduce {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// A training that is not compared, and why.
class NotCompared : public Error {
 public:
  using Error::Error;
};

std::string read_whole(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> config_differences(const RunConfig& kept, const RunConfig& now) {
  std::vector<std::string> lines;
  const auto add = [&](const std::string& name, const std::string& before,
                       const std::string& after) {
    if (before != after) {
      lines.push_back(fmt::format("{}: stored {}, configuration {}", name, before, after));
    }
  };
  add("model", kept.model, now.model);
  if (kept.model != now.model) return lines;
  for (const Parameter& parameter : now.config.parameters()) {
    add(parameter.name, dsnn::to_text(kept.config.value(parameter.name)),
        dsnn::to_text(now.config.value(parameter.name)));
  }
  return lines;
}

/// Throws NotCompared if different digits are to be expected.
void check_arithmetic(const Arithmetic& kept) {
  const Arithmetic now = Arithmetic::current();
  if (kept.version == 0) throw NotCompared("made with more than one version of the arithmetic");
  if (kept.version != now.version) {
    throw NotCompared(
        fmt::format("made with version {} of the arithmetic, this program has version {}",
                    kept.version, now.version));
  }
  if (kept.rounding.empty() || kept.rounding == now.rounding) return;
  throw NotCompared(fmt::format("made with {} multiply-add, this machine has {} multiply-add",
                                kept.rounding, now.rounding));
}

enum class Verdict { kSame, kDiffers, kNotCompared, kFailed };

struct Outcome {
  Verdict verdict;
  std::string text;
  std::vector<std::string> lines = {};  // differences
};

/// A stored run of a cell, or a cell without one.
struct Work {
  const Cell* cell = nullptr;
  std::string name;                // "texas gcn seed 1"
  RunConfig config;                // the stored configuration
  std::string kept;                // the stored result of the run
  std::vector<int> splits;         // to train
  double seconds = 0;              // time of the stored training
  std::optional<Outcome> outcome;  // set if there is nothing to train
};

Outcome not_compared(const NotCompared& reason) {
  return {Verdict::kNotCompared, fmt::format("not compared: {}", reason.what())};
}

Outcome failed(const std::string& why) { return {Verdict::kFailed, "failed: " + first_line(why)}; }

/// The configuration that the stored results of a cell were made with, but for the seed.
RunConfig config_of(const Json& stored) {
  RunConfig config;
  config.model = stored.at("model").get<std::string>();
  config.dataset = stored.at("dataset").get<std::string>();
  config.checksum = stored.at("checksum").get<std::string>();
  const Json& parameters = stored.at("parameters");
  config.config = default_config(
      config.model, parameters.contains("link_task") ? TaskKind::kLinks : TaskKind::kNodes);
  for (const auto& [name, value] : parameters.items()) {
    const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
    config.config.set_text(name + "=" + text);
  }
  return config;
}

/// Fills in splits, time and, if there is nothing to train, the outcome. Throws NotCompared, or
/// Error if a split is missing.
void plan_run(Work& work, const std::string& file, const Json& run,
              const std::vector<int>& wanted) {
  check_arithmetic(read_arithmetic(work.kept));
  const std::map<int, Json> kept = splits_of(run);
  const auto others = config_differences(work.config, *work.cell->config);
  if (!others.empty()) {
    work.outcome = {Verdict::kDiffers, "differs, made with a different configuration", others};
    return;
  }
  for (const int split : wanted) {
    if (!kept.contains(split)) throw Error(fmt::format("{} has no split {}", file, split));
  }
  for (const auto& [number, split] : kept) {
    if (!wanted.empty() && std::ranges::find(wanted, number) == wanted.end()) continue;
    work.splits.push_back(number);
    work.seconds += split.value("seconds", 0.0);
  }
  if (work.splits.empty()) throw NotCompared(file + " contains no split");
}

/// All stored runs of a cell with these seeds. Throws NotCompared, or Error if the file is damaged.
std::vector<Work> plan_cell(const Cell& cell, const CheckOptions& options) {
  const std::string file = cell.stored.string();
  if (!cell.config) throw NotCompared(file + " is stored, but has no configuration");
  if (!fs::exists(cell.stored)) throw NotCompared(file + " is missing");
  std::vector<Work> all;
  try {
    const Json stored = Json::parse(read_whole(cell.stored));
    for (const Json& run : stored.at("runs")) {
      Work work;
      work.cell = &cell;
      work.config = config_of(stored);
      work.config.seed = run.at("seed").get<std::uint64_t>();
      if (!options.seeds.empty() &&
          std::ranges::find(options.seeds, work.config.seed) == options.seeds.end()) {
        continue;
      }
      work.name = fmt::format("{} {} seed {}", cell.column, cell.model, work.config.seed);
      work.kept = run.dump();
      try {
        plan_run(work, file, run, options.splits);
      } catch (const NotCompared& reason) {
        work.outcome = not_compared(reason);
      } catch (const Error& error) {
        work.outcome = failed(error.what());
      }
      all.push_back(std::move(work));
    }
  } catch (const Json::exception&) {
    throw Error(fmt::format("{}: is damaged", file));
  }
  return all;
}

std::vector<Work> plan(const Grid& grid, const CheckOptions& options) {
  std::vector<Work> all;
  for (const Cell& cell : grid.cells) {
    if (!cell.is_selected) continue;
    // Rows of the paper that are not trained here.
    if (!cell.config && !fs::exists(cell.stored)) continue;
    Work none;
    none.cell = &cell;
    none.name = fmt::format("{} {}", cell.column, cell.model);
    try {
      std::ranges::move(plan_cell(cell, options), std::back_inserter(all));
    } catch (const NotCompared& reason) {
      none.outcome = not_compared(reason);
    } catch (const Error& error) {
      none.outcome = failed(error.what());
    }
    if (none.outcome) all.push_back(std::move(none));
  }
  return all;
}

/// The datasets of columns, one at a time; a missing dataset is searched only once.
class Columns {
 public:
  explicit Columns(const LoadColumn& load) : load_(load) {}

  /// Throws NotCompared if the dataset is missing or different.
  const Dataset& get(const std::string& column, const std::string& expected) {
    if (column != name_) {
      name_ = column;
      dataset_.reset();
      missing_.clear();
      try {
        dataset_ = load_(column);
        checksum_ = checksum(*dataset_);
      } catch (const Error& error) {
        if (is_cancel_requested()) throw;
        missing_ = first_line(error.what());
      }
    }
    if (!dataset_) throw NotCompared(missing_);
    if (checksum_ != expected)
      throw NotCompared(column + " differs from the data that it was made with");
    return *dataset_;
  }

 private:
  const LoadColumn& load_;
  std::string name_, checksum_, missing_;
  std::optional<Dataset> dataset_;
};

/// Trains the run again and returns its result.json.
std::string train_anew(const Work& work, const Dataset& dataset, const CheckOptions& options,
                       CellObserver& observer) {
  const Cell& cell = *work.cell;
  TrainOptions train_options;
  train_options.splits = work.splits;
  train_options.jobs = options.jobs;
  train_options.observer = [&](const TrainProgress& progress) { observer.show(progress); };
  if (!options.runs.empty()) {
    train_options.folder = run_folder(options.runs, work.config.seed, cell.column, cell.model);
    train_options.resume = true;
    const fs::path aside = set_other_run_aside(train_options.folder, work.config);
    if (!aside.empty()) {
      observer.note(fmt::format("{} contained a run with different parameters or data; moved to {}",
                                train_options.folder.string(), aside.string()));
    }
  } else if (cell.members > 1) {
    throw Error("ensembles are checked only with --out, which keeps their members");
  }
  const TrainResult result = train_one(cell, work.config, dataset, train_options);
  for (const SplitResult& split : result.splits) {
    if (split.arithmetic == Arithmetic::current()) continue;
    throw Error(fmt::format(
        "{} contains a run with another version of the arithmetic; choose another folder",
        train_options.folder.string()));
  }
  return result_json(result);
}

/// Trains a run and compares it. The caller notifies the observer of the end.
Outcome check_run(const Work& work, const Dataset& dataset, const CheckOptions& options,
                  CellObserver& observer) {
  const auto start = std::chrono::steady_clock::now();
  try {
    const std::string now = train_anew(work, dataset, options, observer);
    std::vector<std::string> lines = differences(work.kept, now, work.splits);
    const std::string how =
        fmt::format("({} split{}, {})", work.splits.size(), work.splits.size() == 1 ? "" : "s",
                    duration_text(seconds_since(start)));
    if (lines.empty()) return {Verdict::kSame, "same " + how};
    return {Verdict::kDiffers, "differs " + how, std::move(lines)};
  } catch (const std::bad_alloc&) {
    return failed("not enough memory");
  } catch (const std::exception& error) {
    if (is_cancel_requested()) throw;
    return failed(error.what());
  }
}

}  // namespace

void check_is_outside(const fs::path& runs, const fs::path& kept) {
  const fs::path inner = fs::weakly_canonical(runs), outer = fs::canonical(kept);
  if (std::ranges::mismatch(outer, inner).in1 != outer.end()) return;
  throw Error(fmt::format("--out {} is inside {}, which must not be changed; choose another folder",
                          runs.string(), kept.string()));
}

std::string CheckSummary::text() const {
  std::string text =
      fmt::format("{} training{} compared: {} same, {} differ{}", compared(),
                  compared() == 1 ? "" : "s", same, different, different == 1 ? "s" : "");
  if (not_compared > 0) text += fmt::format("; {} not compared", not_compared);
  if (failed > 0) text += fmt::format("; {} failed", failed);
  return text + ".";
}

CheckSummary check_cells(const Grid& grid, const LoadColumn& load, const CheckOptions& options,
                         CellObserver& observer,
                         const std::function<void(const std::string&)>& print) {
  std::vector<Work> all = plan(grid, options);
  const auto seconds_of = [&](const Work& work) {
    return work.seconds / std::clamp(options.jobs, 1, static_cast<int>(work.splits.size()));
  };
  int total = 0, number = 0;
  double seconds_left = 0;
  for (const Work& work : all) {
    if (work.outcome) continue;
    ++total;
    seconds_left += seconds_of(work);
  }
  CheckSummary summary;
  Columns columns(load);
  for (Work& work : all) {
    const Cell& cell = *work.cell;
    if (!work.outcome) {
      ++number;
      try {
        const Dataset& dataset = columns.get(cell.column, work.config.checksum);
        const auto start = std::chrono::steady_clock::now();
        const SeedRun run = {work.config.seed, {}};
        observer.begin(cell, run, number, total, work.splits.size(), seconds_left);
        work.outcome = check_run(work, dataset, options, observer);
        observer.end(cell, run, number, total, seconds_since(start));
      } catch (const NotCompared& reason) {
        work.outcome = not_compared(reason);
      }
      seconds_left -= seconds_of(work);
    }
    switch (work.outcome->verdict) {
      case Verdict::kSame:
        ++summary.same;
        break;
      case Verdict::kDiffers:
        ++summary.different;
        break;
      case Verdict::kNotCompared:
        ++summary.not_compared;
        break;
      case Verdict::kFailed:
        ++summary.failed;
    }
    print(fmt::format("{}: {}", work.name, work.outcome->text));
    for (const std::string& line : work.outcome->lines) print("  " + line);
  }
  return summary;
}

}  // namespace dsnn::reproduce
