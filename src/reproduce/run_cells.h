#pragma once

#include "reproduce/grid.h"

#include <functional>
#include <string>

namespace dsnn::reproduce {

/// Is told how it goes. Called by any thread, one at a time.
class CellObserver {
 public:
  virtual ~CellObserver() = default;
  /// Cell `number` of `total` begins. `seconds_left`: for it and those after it; 0: not known yet.
  virtual void begin(const Cell& cell, int number, int total, std::size_t num_splits,
                     double seconds_left) = 0;
  virtual void show(const TrainProgress& progress) = 0;
  /// It ended; the cell has scores or a failure.
  virtual void end(const Cell& cell, int number, int total, double seconds) = 0;
  /// Something that the user may not expect, a sentence.
  virtual void note(const std::string& text) = 0;
};

/// The dataset of a column.
using LoadColumn = std::function<Dataset(const std::string&)>;

/// Takes the scores of the cells that are trained already, except on datasets that are not to be
/// found and that nothing is selected of.
void collect_scores(Grid& grid, const LoadColumn& load, CellObserver& observer);

/// Trains the pending cells that are selected, one after the other, with their splits side by side
/// on `jobs` threads. A cell that fails says so and the next one begins. Throws Cancelled
/// after request_cancel(); the same call goes on from there.
void run_cells(Grid& grid, const LoadColumn& load, int jobs, CellObserver& observer);

}  // namespace dsnn::reproduce
