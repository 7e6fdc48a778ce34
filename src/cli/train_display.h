#pragma once

#include "dsnn/train/train.h"

#include "cli/terminal.h"

#include <chrono>
#include <map>
#include <string>

namespace dsnn::cli {

/// Shows training on stderr: a live line for each running split on a terminal, a line every few
/// seconds elsewhere.
class TrainDisplay {
 public:
  explicit TrainDisplay(std::size_t num_splits) : num_splits_(num_splits) {}

  /// Names the part of a larger work that is being trained.
  void set_heading(const std::string& heading) { heading_ = heading + ": "; }
  void show(const TrainProgress& progress);

 private:
  using Clock = std::chrono::steady_clock;

  std::size_t num_splits_;
  std::string heading_;
  std::size_t num_finished_ = 0;
  std::map<int, TrainProgress> running_;
  LiveLines lines_;
  Clock::time_point start_ = Clock::now(), next_ = start_;
};

}  // namespace dsnn::cli
