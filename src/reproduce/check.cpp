#include "reproduce/check.h"

#include "dsnn/train/train.h"
#include "dsnn/util/error.h"
#include "dsnn/util/progress.h"

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

/// A cell that is not compared, and why.
class NotCompared : public Error {
 public:
  using Error::Error;
};

std::string read_whole(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

using Splits = std::map<int, Json>;

Splits splits_of(const Json& result) {
  Splits splits;
  for (const Json& split : result.at("splits")) splits[split.at("split").get<int>()] = split;
  return splits;
}

/// Numbers as in the files: the shortest text that reads as the same number.
std::string text_of(const Json& json, const std::string& name) {
  return json.contains(name) ? json[name].dump() : "nothing";
}

/// Compares these values of both; the texts differ exactly where the numbers do.
std::vector<std::string> value_differences(const Json& kept, const Json& now,
                                           const std::vector<std::string>& names) {
  std::vector<std::string> lines;
  for (const std::string& name : names) {
    const std::string before = text_of(kept, name), after = text_of(now, name);
    if (before != after) lines.push_back(fmt::format("{} stored {}, now {}", name, before, after));
  }
  return lines;
}

/// The names in either, in their order.
std::vector<std::string> names_in(const Json& first, const Json& second) {
  std::vector<std::string> names;
  for (const Json* json : {&first, &second}) {
    for (const auto& [name, value] : json->items()) {
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
  }
  return names;
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
  add("seed", fmt::format("{}", kept.seed), fmt::format("{}", now.seed));
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

/// A cell and its stored results.
struct Work {
  const Cell* cell = nullptr;
  RunConfig config;                // the stored configuration
  std::string kept;                // the stored result
  std::vector<int> splits;         // to train
  double seconds = 0;              // time of the stored training
  std::optional<Outcome> outcome;  // set if there is nothing to train
};

Outcome not_compared(const NotCompared& reason) {
  return {Verdict::kNotCompared, fmt::format("not compared: {}", reason.what())};
}

Outcome failed(const std::string& why) { return {Verdict::kFailed, "failed: " + first_line(why)}; }

/// The stored result of a cell: result.json of its run.
fs::path stored_file(const Cell& cell) { return cell.folder.string() + ".json"; }

/// The configuration that a stored result was made with.
RunConfig config_of(const Json& result) {
  RunConfig config;
  config.model = result.at("model").get<std::string>();
  config.dataset = result.at("dataset").get<std::string>();
  config.checksum = result.at("checksum").get<std::string>();
  config.seed = result.at("seed").get<std::uint64_t>();
  config.config = default_config(config.model);
  for (const auto& [name, value] : result.at("parameters").items()) {
    const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
    config.config.set_text(name + "=" + text);
  }
  return config;
}

/// Fills in everything except the cell. Throws NotCompared, or Error if the stored file is damaged.
void read_kept(Work& work, const std::vector<int>& wanted) {
  const fs::path path = stored_file(*work.cell);
  const std::string file = path.string();
  if (!work.cell->config) throw NotCompared(file + " is stored, but has no configuration");
  if (!fs::exists(path)) throw NotCompared(file + " is missing");
  work.kept = read_whole(path);
  check_arithmetic(read_arithmetic(work.kept));
  Splits kept;
  try {
    const Json result = Json::parse(work.kept);
    kept = splits_of(result);
    work.config = config_of(result);
  } catch (const Json::exception&) {
    throw Error(fmt::format("{}: is damaged", file));
  }
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

std::vector<Work> plan(const Grid& grid, const std::vector<int>& splits) {
  std::vector<Work> all;
  for (const Cell& cell : grid.cells) {
    if (!cell.is_selected) continue;
    // Rows of the paper that are not trained here.
    if (!cell.config && !fs::exists(stored_file(cell))) continue;
    Work work;
    work.cell = &cell;
    try {
      read_kept(work, splits);
    } catch (const NotCompared& reason) {
      work.outcome = not_compared(reason);
    } catch (const Error& error) {
      work.outcome = failed(error.what());
    }
    all.push_back(std::move(work));
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

/// Trains the cell again and returns its result.json.
std::string train_anew(const Work& work, const Dataset& dataset, const CheckOptions& options,
                       CellObserver& observer) {
  const Cell& cell = *work.cell;
  TrainOptions train_options;
  train_options.model = cell.model;
  train_options.config = cell.config->config;
  train_options.seed = cell.config->seed;
  train_options.splits = work.splits;
  train_options.jobs = options.jobs;
  train_options.observer = [&](const TrainProgress& progress) { observer.show(progress); };
  if (!options.runs.empty()) {
    train_options.folder = options.runs / cell.column / cell.model;
    train_options.resume = true;
    const fs::path aside = set_other_run_aside(train_options.folder, work.config);
    if (!aside.empty()) {
      observer.note(fmt::format("{} contained a run with different parameters or data; moved to {}",
                                train_options.folder.string(), aside.string()));
    }
  }
  const TrainResult result = train(dataset, train_options);
  for (const SplitResult& split : result.splits) {
    if (split.arithmetic == Arithmetic::current()) continue;
    throw Error(fmt::format(
        "{} contains a run with another version of the arithmetic; choose another folder",
        train_options.folder.string()));
  }
  return result_json(result);
}

/// Trains a cell and compares it. The caller notifies the observer of the end.
Outcome check_cell(const Work& work, const Dataset& dataset, const CheckOptions& options,
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
      fmt::format("{} cell{} compared: {} same, {} differ{}", compared(),
                  compared() == 1 ? "" : "s", same, different, different == 1 ? "s" : "");
  if (not_compared > 0) text += fmt::format("; {} not compared", not_compared);
  if (failed > 0) text += fmt::format("; {} failed", failed);
  return text + ".";
}

std::vector<std::string> differences(const std::string& kept, const std::string& now,
                                     const std::vector<int>& splits) {
  std::vector<std::string> lines;
  try {
    const Json before = Json::parse(kept), after = Json::parse(now);
    const Splits splits_before = splits_of(before), splits_after = splits_of(after);
    for (const int number : splits) {
      const auto first = splits_before.find(number), second = splits_after.find(number);
      if (first == splits_before.end() || second == splits_after.end()) {
        throw Error(fmt::format("one of the results has no split {}", number));
      }
      std::vector<std::string> names = names_in(first->second, second->second);
      std::erase(names, "seconds");
      const auto values = value_differences(first->second, second->second, names);
      if (values.empty()) continue;
      lines.push_back(fmt::format("split {}: {}", number, fmt::join(values, "; ")));
    }
    if (splits_before.size() != splits.size()) return lines;
    std::vector<std::string> means = names_in(before, after);
    std::erase_if(means, [](const std::string& name) {
      return !name.ends_with("_mean") && !name.ends_with("_std");
    });
    const auto values = value_differences(before, after, means);
    if (!values.empty()) lines.push_back(fmt::format("all splits: {}", fmt::join(values, "; ")));
  } catch (const Json::exception& error) {
    throw Error(fmt::format("a result is damaged: {}", error.what()));
  }
  return lines;
}

CheckSummary check_cells(const Grid& grid, const LoadColumn& load, const CheckOptions& options,
                         CellObserver& observer,
                         const std::function<void(const std::string&)>& print) {
  std::vector<Work> all = plan(grid, options.splits);
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
        observer.begin(cell, number, total, work.splits.size(), seconds_left);
        work.outcome = check_cell(work, dataset, options, observer);
        observer.end(cell, number, total, seconds_since(start));
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
    print(fmt::format("{} {}: {}", cell.column, cell.model, work.outcome->text));
    for (const std::string& line : work.outcome->lines) print("  " + line);
  }
  return summary;
}

}  // namespace dsnn::reproduce
