#include "reproduce/run_cells.h"

#include "dsnn/train/train.h"
#include "dsnn/util/error.h"
#include "dsnn/util/progress.h"

#include "util/duration.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <new>
#include <optional>

namespace dsnn::reproduce {
namespace {

using Clock = std::chrono::steady_clock;

/// What the cells to come will take, from those of the same column, else from all so far.
class Estimate {
 public:
  void add(const Cell& cell, double seconds) {
    columns_[cell.column].add(seconds);
    all_.add(seconds);
  }
  double seconds_for(const std::vector<Cell*>& cells, std::size_t first) const {
    double sum = 0;
    for (std::size_t i = first; i < cells.size(); ++i) {
      const auto column = columns_.find(cells[i]->column);
      sum += column == columns_.end() ? all_.mean() : column->second.mean();
    }
    return sum;
  }

 private:
  struct Mean {
    double sum = 0;
    int count = 0;
    void add(double value) { sum += value, ++count; }
    double mean() const { return count == 0 ? 0 : sum / count; }
  };
  std::map<std::string, Mean> columns_;
  Mean all_;
};

/// Test nodes over training nodes, on the average of the splits.
double test_per_train(const Dataset& dataset) {
  double sum = 0;
  for (const Split& split : dataset.splits) {
    const auto count = [](const std::vector<std::uint8_t>& mask) {
      return static_cast<double>(std::ranges::count_if(mask, [](auto bit) { return bit != 0; }));
    };
    sum += count(split.test) / std::max(1.0, count(split.train));
  }
  return sum / static_cast<double>(std::max<std::size_t>(1, dataset.splits.size()));
}

/// Notes how long its owner lived, also if training broke off.
class WallTime {
 public:
  explicit WallTime(std::filesystem::path folder) : folder_(std::move(folder)) {}
  ~WallTime() { add_wall_seconds(folder_, seconds_since(start_)); }
  WallTime(const WallTime&) = delete;
  WallTime& operator=(const WallTime&) = delete;

 private:
  std::filesystem::path folder_;
  Clock::time_point start_ = Clock::now();
};

void train_cell(Cell& cell, const Dataset& dataset, int jobs, CellObserver& observer) {
  cell.config->checksum = checksum(dataset);
  cell.test_per_train = test_per_train(dataset);
  const std::filesystem::path aside = set_other_run_aside(cell.folder, *cell.config);
  if (!aside.empty()) observer.set_aside(cell.folder, aside);
  TrainOptions options;
  options.model = cell.model;
  options.config = cell.config->config;
  options.seed = cell.config->seed;
  options.jobs = jobs;
  options.folder = cell.folder;
  options.resume = true;
  options.observer = [&](const TrainProgress& progress) { observer.show(progress); };
  {
    const WallTime time(cell.folder);
    train(dataset, options);
  }
  cell.scores = read_scores(cell.folder, *cell.config, dataset.splits.size());
  if (!cell.scores) throw Error(fmt::format("{}: its result is gone", cell.folder.string()));
}

}  // namespace

void collect_scores(Grid& grid, const LoadColumn& load) {
  for (const std::string& column : grid.columns) {
    std::optional<Dataset> dataset;
    for (const std::string& model : grid.models) {
      Cell& cell = grid.at(model, column);
      if (!cell.config || !std::filesystem::exists(cell.folder / "result.json")) continue;
      if (!dataset) dataset = load(column);
      cell.config->checksum = checksum(*dataset);
      cell.test_per_train = test_per_train(*dataset);
      cell.scores = read_scores(cell.folder, *cell.config, dataset->splits.size());
    }
  }
}

void run_cells(Grid& grid, const LoadColumn& load, int jobs, CellObserver& observer) {
  std::vector<Cell*> pending;
  for (Cell& cell : grid.cells) {
    if (cell.is_pending()) pending.push_back(&cell);
  }
  Estimate estimate;
  for (const Cell& cell : grid.cells) {
    if (cell.scores && cell.scores->wall_seconds > 0) estimate.add(cell, cell.scores->wall_seconds);
  }
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
      observer.begin(cell, number, total, dataset->splits.size(), estimate.seconds_for(pending, i));
      train_cell(cell, *dataset, jobs, observer);
    } catch (const std::bad_alloc&) {
      cell.failure = "not enough memory";
    } catch (const std::exception& error) {
      if (is_cancel_requested()) throw;
      cell.failure = error.what();
    }
    const double seconds = seconds_since(start);
    if (cell.failure.empty()) estimate.add(cell, seconds);
    observer.end(cell, number, total, seconds);
  }
}

}  // namespace dsnn::reproduce
