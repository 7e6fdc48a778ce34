#pragma once

#include "reproduce/grid.h"

#include <functional>
#include <string>

namespace dsnn::reproduce {

/// Receives progress. Called by any thread, one at a time.
class CellObserver {
 public:
  virtual ~CellObserver() = default;
  /// There are `total` trainings to do. `seconds`: for all of them; 0: unknown.
  virtual void plan(int total, double seconds) = 0;
  /// Training `number` of `total` begins. `seconds_left`: for it and all later ones; 0: unknown.
  virtual void begin(const Cell& cell, const SeedRun& run, int number, int total,
                     std::size_t num_splits, double seconds_left) = 0;
  virtual void show(const TrainProgress& progress) = 0;
  /// The training is finished and has scores or a failure.
  virtual void end(const Cell& cell, const SeedRun& run, int number, int total, double seconds) = 0;
  /// A sentence about something that the user may not expect.
  virtual void note(const std::string& text) = 0;
};

/// The dataset of a column.
using LoadColumn = std::function<Dataset(const std::string&)>;

/// Reads the scores of trained cells, except for missing datasets without selected cells.
void collect_scores(Grid& grid, const LoadColumn& load, CellObserver& observer);

/// Trains the pending runs of the selected cells, one after the other, with their splits in
/// parallel on `jobs` threads, on a device (TrainOptions::device): the first seeds of all cells,
/// then the second, and so on. A failure is recorded in the run, and the next begins. Throws
/// Cancelled after request_cancel(); the same call continues from there.
void run_cells(Grid& grid, const LoadColumn& load, int jobs, CellObserver& observer,
               const std::string& device = "cpu");

}  // namespace dsnn::reproduce
