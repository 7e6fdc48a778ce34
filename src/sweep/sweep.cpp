#include "dsnn/sweep/sweep.h"

#include "dsnn/nn/model.h"
#include "dsnn/util/error.h"
#include "dsnn/util/output_file.h"
#include "dsnn/util/progress.h"

#include "sweep/database.h"
#include "sweep/workers.h"
#include "train/link_config.h"
#include "train/run_folder.h"
#include "util/index.h"
#include "util/machine.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <system_error>

#include <algorithm>
#include <numeric>

namespace dsnn {
namespace {

const Dimension* find_dimension(const SearchSpace& space, const std::string& name) {
  const auto found = std::ranges::find(space.dimensions, name, &Dimension::name);
  return found == space.dimensions.end() ? nullptr : &*found;
}

/// The most epochs that a trial may have.
std::int64_t most_epochs(const SearchSpace& space, const Config& base) {
  const Dimension* epochs = find_dimension(space, "epochs");
  if (epochs == nullptr) return base.integer("epochs");
  if (epochs->values.empty()) return static_cast<std::int64_t>(epochs->to);
  return std::get<std::int64_t>(std::ranges::max(epochs->values));
}

/// Rungs with numbers of splits resolved for a dataset. A rung with as many epochs as any trial may
/// have is a rung of all epochs, with the same trainings.
std::vector<Rung> resolved_rungs(std::vector<Rung> rungs, int num_splits,
                                 std::int64_t most_epochs) {
  for (Rung& rung : rungs) {
    rung.splits = rung.splits == 0 ? num_splits : std::min(rung.splits, num_splits);
    if (rung.epochs >= most_epochs) rung.epochs = 0;
  }
  return rungs;
}

bool has_labelled(const Dataset& dataset, const std::vector<std::uint8_t>& mask) {
  for (std::size_t u = 0; u < mask.size(); ++u) {
    if (mask[u] != 0 && dataset.labels[u] >= 0) return true;
  }
  return false;
}

/// What training needs of each split that a rung uses, and nodes to validate: trials are chosen by
/// them.
void check_splits_of(const Dataset& dataset, const Config& base, const std::vector<Rung>& rungs) {
  std::vector<int> splits(at(std::ranges::max(rungs, {}, &Rung::splits).splits));
  std::iota(splits.begin(), splits.end(), 0);
  check_trainable(dataset, base, splits);
  if (task_of(base) == TaskKind::kLinks) return;  // their splits always have validation pairs
  for (const int split : splits) {
    if (has_labelled(dataset, dataset.splits[at(split)].validation)) continue;
    throw Error(fmt::format(
        "{}: split {} has no validation nodes with a label, which a sweep needs for selection",
        dataset.name, split));
  }
}

/// The name of the score that trials are chosen by.
std::string score_name(const Config& config) {
  return task_of(config) == TaskKind::kLinks ? link_metric(config) : "accuracy";
}

/// Writes the configuration of the best trial, if any.
void write_best(const Sweep& sweep, const std::string& checksum,
                const std::filesystem::path& path) {
  const Trial* best = sweep.best();
  if (best == nullptr) {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
    return;
  }
  const std::string head = fmt::format(
      "# Trial {} of {}: validation {} {:.2f} % over {} split{}; commit {}.\n", best->number,
      sweep.trials.size(), score_name(best->config), 100 * best->validation, best->num_splits,
      best->num_splits == 1 ? "" : "s", fmt::join(sweep.commits, ", "));
  write_file(path,
             head + write_toml({sweep.model, sweep.dataset, checksum, best->seed, best->config}));
}

}  // namespace

Sweep run_sweep(const Dataset& dataset, const SweepOptions& options) {
  const Config base = config_for(options.model, options.base);
  check_trainable(dataset, base, {});
  if (options.trials && *options.trials < 1) throw Error("a sweep needs at least one trial");
  const bool is_endless = !options.trials && options.space.method != SweepMethod::kGrid &&
                          options.budget_seconds == std::numeric_limits<double>::infinity();
  if (is_endless) throw Error("the sweep has no end: expected a number of trials or a budget");
  std::vector<std::string> left_out;
  SearchSpace space = space_for_model(options.space, options.model, left_out, task_of(base));
  const std::int64_t epochs = most_epochs(space, base);
  space.rungs = resolved_rungs(space.rungs, num_splits(dataset, base), epochs);
  check_splits_of(dataset, base, space.rungs);
  std::error_code error;
  std::filesystem::create_directories(options.folder, error);
  if (error) {
    throw Error(fmt::format("{}: cannot create: {}", options.folder.string(), error.message()));
  }
  const int jobs = options.jobs > 0 ? options.jobs : num_cores();
  const std::int64_t num_trained = Workers(dataset, options, space, base, epochs).run(jobs);
  if (is_cancel_requested()) throw Cancelled();
  const std::string sum = checksum(dataset);
  Sweep sweep;
  Database database(options.folder / "sweep.sqlite");
  // One process at a time, so that the process that reads last also writes last.
  database.transaction([&] {
    sweep = read_sweep(options.folder);
    write_best(sweep, sum, options.folder / "best.toml");
  });
  sweep.num_trained = num_trained;
  return sweep;
}

}  // namespace dsnn
