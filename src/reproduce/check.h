#pragma once

#include "reproduce/grid.h"
#include "reproduce/run_cells.h"

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace dsnn::reproduce {

struct CheckOptions {
  std::vector<int> splits;  ///< splits to check; empty: all stored ones
  int jobs = 1;
  /// The folder for COLUMN/MODEL, from which the same call continues; empty: nothing is written.
  std::filesystem::path runs = {};
};

/// Throws Error if the runs would be written into the folder that keeps what they are compared
/// with.
void check_is_outside(const std::filesystem::path& runs, const std::filesystem::path& kept);

/// Numbers of cells by outcome.
struct CheckSummary {
  int same = 0, different = 0;
  int not_compared = 0;  ///< different arithmetic or data, or missing files
  int failed = 0;        ///< could not be trained

  int compared() const { return same + different; }
  /// "3 cells compared: 2 same, 1 differs; 4 not compared."
  std::string text() const;
};

/// Compares two texts of result.json digit by digit: all values of these splits except times, and
/// means and deviations if the first has no other splits. Returns a line for each split or mean
/// that differs. Throws Error if either is damaged or lacks a split.
std::vector<std::string> differences(const std::string& kept, const std::string& now,
                                     const std::vector<int>& splits);

/// Trains the selected stored cells again, one after the other, and compares. The folders of the
/// cells are only read. `print` gets a line for each cell as soon as it is known, followed by those
/// of differences(). Throws Cancelled after request_cancel().
CheckSummary check_cells(const Grid& grid, const LoadColumn& load, const CheckOptions& options,
                         CellObserver& observer,
                         const std::function<void(const std::string&)>& print);

}  // namespace dsnn::reproduce
