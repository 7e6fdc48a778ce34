#pragma once

#include "reproduce/grid.h"
#include "reproduce/run_cells.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace dsnn::reproduce {

struct CheckOptions {
  std::vector<int> splits;                ///< splits to check; empty: all stored ones
  std::vector<std::uint64_t> seeds = {};  ///< trainings to check; empty: all stored ones
  int jobs = 1;
  /// The folder for seed-N/COLUMN/MODEL, from which the same call continues; empty: nothing is
  /// written.
  std::filesystem::path runs = {};
};

/// Throws Error if the runs would be written into the folder that keeps what they are compared
/// with.
void check_is_outside(const std::filesystem::path& runs, const std::filesystem::path& kept);

/// Numbers of trainings by outcome.
struct CheckSummary {
  int same = 0, different = 0;
  int not_compared = 0;  ///< different arithmetic or data, or missing files
  int failed = 0;        ///< could not be trained

  int compared() const { return same + different; }
  /// "3 trainings compared: 2 same, 1 differs; 4 not compared."
  std::string text() const;
};

/// Trains the stored runs of the selected cells again, one after the other, and compares. The
/// stored files are only read. `print` gets a line for each training as soon as it is known,
/// followed by those of differences(). Throws Cancelled after request_cancel().
CheckSummary check_cells(const Grid& grid, const LoadColumn& load, const CheckOptions& options,
                         CellObserver& observer,
                         const std::function<void(const std::string&)>& print);

}  // namespace dsnn::reproduce
