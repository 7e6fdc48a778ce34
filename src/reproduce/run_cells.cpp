#include "reproduce/run_cells.h"

#include "dsnn/train/train.h"
#include "dsnn/util/error.h"
#include "dsnn/util/progress.h"

#include "reproduce/estimate.h"
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

void train_cell(Cell& cell, const Dataset& dataset, int jobs, CellObserver& observer) {
  set_dataset(cell, dataset, observer);
  const auto leave = [&] {
    observer.note(
        fmt::format("another process is training {} on {}; skipped", cell.model, cell.column));
  };
  if (is_in_use(cell.folder)) return leave();
  const std::filesystem::path aside = set_other_run_aside(cell.folder, *cell.config);
  if (!aside.empty()) {
    observer.note(fmt::format("{} contained a run with different parameters or data; moved to {}",
                              cell.folder.string(), aside.string()));
  }
  TrainOptions options;
  options.model = cell.trained_model();
  options.config = cell.config->config;
  options.seed = cell.config->seed;
  options.jobs = jobs;
  options.folder = cell.folder;
  options.resume = true;
  try {
    WallTime time(cell.folder, jobs);
    options.observer = [&](const TrainProgress& progress) {
      if (!progress.is_finished) time.epoch();
      observer.show(progress);
    };
    train(dataset, options);
  } catch (const FolderInUse&) {  // it has started since
    return leave();
  }
  cell.scores = read_scores(cell.folder, *cell.config, split_count(cell, dataset), cell.score);
  if (!cell.scores)
    throw Error(fmt::format("{}: the result has disappeared", cell.folder.string()));
}

}  // namespace

void collect_scores(Grid& grid, const LoadColumn& load, CellObserver& observer) {
  for (const std::string& column : grid.columns) {
    std::vector<Cell*> trained;
    bool is_selected = false;
    for (const std::string& model : grid.models) {
      Cell& cell = grid.at(model, column);
      if (!cell.config || !std::filesystem::exists(cell.folder / "result.json")) continue;
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
      cell->scores =
          read_scores(cell->folder, *cell->config, split_count(*cell, *dataset), cell->score);
      if (cell->scores) cell->failure.clear();  // another process may have succeeded
    }
  }
}

void run_cells(Grid& grid, const LoadColumn& load, int jobs, CellObserver& observer) {
  std::vector<Cell*> pending;
  for (Cell& cell : grid.cells) {
    if (cell.is_pending() && cell.is_selected) pending.push_back(&cell);
  }
  Estimate estimate;
  std::vector<std::string> columns_left;
  for (const Cell& cell : grid.cells) {
    if (cell.scores && cell.scores->wall_seconds > 0) {
      estimate.add(cell.column, cell.scores->wall_seconds);
    }
  }
  for (const Cell* cell : pending) columns_left.push_back(cell->column);
  std::optional<Dataset> dataset;
  std::string loaded;
  for (std::size_t i = 0; i < pending.size(); ++i) {
    Cell& cell = *pending[i];
    const int number = static_cast<int>(i + 1), total = static_cast<int>(pending.size());
    const Clock::time_point start = Clock::now();
    try {
      if (!dataset || loaded != cell.column) {
        dataset = load(cell.column);
        loaded = cell.column;
      }
      observer.begin(cell, number, total, split_count(cell, *dataset),
                     estimate.seconds_for(columns_left));
      train_cell(cell, *dataset, jobs, observer);
    } catch (const std::bad_alloc&) {
      cell.failure = "not enough memory";
    } catch (const std::exception& error) {
      if (is_cancel_requested()) throw;
      cell.failure = first_line(error.what());
    }
    const double seconds = seconds_since(start);
    if (cell.scores) estimate.add(cell.column, seconds);
    columns_left.erase(columns_left.begin());
    observer.end(cell, number, total, seconds);
  }
}

}  // namespace dsnn::reproduce
