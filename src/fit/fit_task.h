#pragma once

#include "dsnn/fit/fit.h"

#include "train/run_folder.h"
#include "train/split_task.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace dsnn {

/// What a search does in its own way for nodes and for links.
class FitTask {
 public:
  virtual ~FitTask() = default;

  /// The trial with this number; `best` are the trials of earlier brackets, best first.
  virtual FitTrial candidate(std::int64_t number, const std::vector<FitTrial>& best) const = 0;
  /// Thread-safe.
  virtual std::unique_ptr<SplitTask> make(const Config& config) const = 0;
  /// Writes what a run needs to be used on other data.
  virtual void write_data(const RunFolder& folder, const SplitTask& task) const = 0;
};

/// For the task of the options. Throws Error for data that cannot be trained on. Dataset and
/// options must outlive it.
std::unique_ptr<FitTask> make_fit_task(const Dataset& dataset, const FitOptions& options);

}  // namespace dsnn
