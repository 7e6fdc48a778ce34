#pragma once

#include "reproduce/grid.h"
#include "reproduce/run_cells.h"

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace dsnn::reproduce {

struct CheckOptions {
  std::vector<int> splits;  ///< that are checked; empty: all that are kept
  int jobs = 1;
  /// Will hold COLUMN/MODEL, so that the same call goes on; empty: nothing is written.
  std::filesystem::path runs = {};
};

/// Throws Error if the runs would be written into the folder that keeps what they are compared
/// with.
void check_is_outside(const std::filesystem::path& runs, const std::filesystem::path& kept);

/// How many cells came out how.
struct CheckSummary {
  int same = 0, different = 0;
  int not_compared = 0;  ///< other arithmetic or data, or something is missing
  int failed = 0;        ///< could not be trained

  int compared() const { return same + different; }
  /// "3 cells compared: 2 same, 1 differs; 4 not compared."
  std::string text() const;
};

/// Compares two results, as result.json has them, digit for digit: all numbers of these splits but
/// their times, and means and deviations if no other splits are in the first one. A line for each
/// split, or mean, that differs. Throws Error if either is damaged or has not all of the splits.
std::vector<std::string> differences(const std::string& kept, const std::string& now,
                                     const std::vector<int>& splits);

/// Trains anew what is selected and kept in the cells' folders, which are only read, one cell after
/// the other, and compares. `print` gets a line for each cell as soon as it is known, followed by
/// those of differences(). Throws Cancelled after request_cancel().
CheckSummary check_cells(const Grid& grid, const LoadColumn& load, const CheckOptions& options,
                         CellObserver& observer,
                         const std::function<void(const std::string&)>& print);

}  // namespace dsnn::reproduce
