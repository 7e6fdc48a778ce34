#include "reproduce/run_cells.h"

#include "dsnn/util/error.h"
#include "dsnn/util/progress.h"

#include "reproduce/estimate.h"
#include "reproduce/train_one.h"
#include "train/link_config.h"
#include "train/training_data.h"
#include "util/duration.h"
#include "util/first_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <new>
#include <optional>

namespace dsnn::reproduce {
namespace {

using Clock = std::chrono::steady_clock;

/// Test nodes over training nodes, on the average of the splits; of links, pairs of the first
/// split.
double test_per_train(const Dataset& dataset, const Config& config) {
  if (task_of(config) == TaskKind::kLinks) {
    const LinkExamples examples = link_examples(dataset, link_options(config, dataset), 0);
    const auto num_train = std::ssize(examples.train.pairs) + examples.num_drawn;
    return static_cast<double>(examples.test.pairs.size()) / static_cast<double>(num_train);
  }
  double sum = 0;
  for (const Split& split : dataset.splits) {
    const auto count = [](const std::vector<std::uint8_t>& mask) {
      return static_cast<double>(std::ranges::count_if(mask, [](auto bit) { return bit != 0; }));
    };
    sum += count(split.test) / std::max(1.0, count(split.train));
  }
  return sum / static_cast<double>(std::max<std::size_t>(1, dataset.splits.size()));
}

std::size_t split_count(const Cell& cell, const Dataset& dataset) {
  return static_cast<std::size_t>(num_splits(dataset, cell.config->config));
}

/// Records the lifetime of its owner, also if training fails; a kill loses at most ten seconds. It
/// records nothing if there was nothing to train: then the scores are not from this program.
class WallTime {
 public:
  WallTime(std::filesystem::path folder, int jobs)
      : folder_(std::move(folder)), circumstances_(current_circumstances(jobs)) {}
  ~WallTime() {
    if (has_trained_) note();
  }
  WallTime(const WallTime&) = delete;
  WallTime& operator=(const WallTime&) = delete;

  void epoch() {
    has_trained_ = true;
    if (seconds_since(start_) > 10) note();
  }

 private:
  void note() {
    add_wall_seconds(folder_, seconds_since(start_), circumstances_);
    start_ = Clock::now();
  }

  std::filesystem::path folder_;
  Circumstances circumstances_;
  Clock::time_point start_ = Clock::now();
  bool has_trained_ = false;
};

/// `dataset` is the one of the cell's column. Notes if the parameters were chosen on different
/// data.
void set_dataset(Cell& cell, const Dataset& dataset, CellObserver& observer) {
  const std::string sum = checksum(dataset);
  std::string& expected = cell.config->checksum;
  if (!expected.empty() && expected != sum) {
    observer.note(fmt::format("{} differs from the data that the configuration of {} was made with",
                              cell.column, cell.model));
    cell.has_other_data = true;
  }
  expected = sum;
  cell.test_per_train = test_per_train(dataset, cell.config->config);
}

void train_run(Cell& cell, SeedRun& run, const Dataset& dataset, int jobs,
               const std::string& device, CellObserver& observer) {
  set_dataset(cell, dataset, observer);
  const auto leave = [&] {
    observer.note(fmt::format("another process is training {} on {} with seed {}; skipped",
                              cell.model, cell.column, run.seed));
  };
  if (is_in_use(run.folder)) return leave();
  const RunConfig config = cell.config_of(run);
  const std::filesystem::path aside = set_other_run_aside(run.folder, config);
  if (!aside.empty()) {
    observer.note(fmt::format("{} contained a run with different parameters or data; moved to {}",
                              run.folder.string(), aside.string()));
  }
  TrainOptions options;
  options.jobs = jobs;
  options.device = device;
  options.folder = run.folder;
  options.resume = true;
  try {
    WallTime time(run.folder, jobs);
    options.observer = [&](const TrainProgress& progress) {
      if (!progress.is_finished) time.epoch();
      observer.show(progress);
    };
    train_one(cell, config, dataset, options);
  } catch (const FolderInUse&) {  // it has started since
    return leave();
  }
  run.scores = read_scores(run.folder, config, split_count(cell, dataset), cell.score);
  if (!run.scores) throw Error(fmt::format("{}: the result has disappeared", run.folder.string()));
}

/// A training to do.
struct Job {
  Cell* cell;
  SeedRun* run;
};

/// The first seeds of all cells, then the second, and so on.
std::vector<Job> pending_jobs(Grid& grid) {
  std::vector<Job> jobs;
  bool has_more = true;
  for (std::size_t round = 0; has_more; ++round) {
    has_more = false;
    for (Cell& cell : grid.cells) {
      if (!cell.config || !cell.is_selected || round >= cell.runs.size()) continue;
      has_more = true;
      if (cell.runs[round].is_pending()) jobs.push_back({&cell, &cell.runs[round]});
    }
  }
  return jobs;
}

bool has_result(const SeedRun& run) { return std::filesystem::exists(run.folder / "result.json"); }

}  // namespace

void collect_scores(Grid& grid, const LoadColumn& load, CellObserver& observer) {
  for (const std::string& column : grid.columns) {
    std::vector<Cell*> trained;
    bool is_selected = false;
    for (const std::string& model : grid.models) {
      Cell& cell = grid.at(model, column);
      if (!cell.config || std::ranges::none_of(cell.runs, has_result)) continue;
      trained.push_back(&cell);
      is_selected |= cell.is_selected;
    }
    if (trained.empty()) continue;
    std::optional<Dataset> dataset;
    try {
      dataset = load(column);
    } catch (const Error& error) {
      if (is_selected || is_cancel_requested()) throw;
      observer.note(fmt::format("trained models on {} are left out: {}", column, error.what()));
      continue;
    }
    for (Cell* cell : trained) {
      set_dataset(*cell, *dataset, observer);
      for (SeedRun& run : cell->runs) {
        run.scores = read_scores(run.folder, cell->config_of(run), split_count(*cell, *dataset),
                                 cell->score);
        if (run.scores) {
          run.scores->is_of_search = run.is_of_search;
          run.failure.clear();  // another process may have succeeded
        }
      }
      cell->combine_runs();
    }
  }
}

void run_cells(Grid& grid, const LoadColumn& load, int jobs, CellObserver& observer,
               const std::string& device) {
  const std::vector<Job> pending = pending_jobs(grid);
  if (pending.empty()) return;
  Estimate estimate;
  for (const Cell& cell : grid.cells) {
    for (const SeedRun& run : cell.runs) {
      if (!run.scores) continue;
      const double wall = run.scores->wall_seconds;  // 0: not trained by this command
      estimate.add({cell.column, cell.model}, wall > 0 ? wall : run.scores->seconds);
    }
  }
  std::vector<Estimate::Place> left;
  for (const Job& job : pending) left.push_back({job.cell->column, job.cell->model});
  const int total = static_cast<int>(pending.size());
  observer.plan(total, estimate.seconds_for(left));
  std::optional<Dataset> dataset;
  std::string loaded;
  for (int number = 1; number <= total; ++number) {
    auto& [cell, run] = pending[static_cast<std::size_t>(number - 1)];
    const Clock::time_point start = Clock::now();
    try {
      if (!dataset || loaded != cell->column) {
        dataset = load(cell->column);
        loaded = cell->column;
      }
      observer.begin(*cell, *run, number, total, split_count(*cell, *dataset),
                     estimate.seconds_for(left));
      train_run(*cell, *run, *dataset, jobs, device, observer);
    } catch (const std::bad_alloc&) {
      run->failure = "not enough memory";
    } catch (const std::exception& error) {
      if (is_cancel_requested()) throw;
      run->failure = first_line(error.what());
    }
    cell->combine_runs();
    const double seconds = seconds_since(start);
    if (run->scores) estimate.add({cell->column, cell->model}, seconds);
    left.erase(left.begin());
    observer.end(*cell, *run, number, total, seconds);
  }
}

}  // namespace dsnn::reproduce
