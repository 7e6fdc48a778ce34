#pragma once

#include "dsnn/sweep/sweep.h"

#include "cli/terminal.h"

#include <chrono>

namespace dsnn::cli {

/// Shows a sweep on stderr: a few live lines on a terminal, a line every few seconds elsewhere.
class SweepDisplay {
 public:
  void show(const SweepProgress& progress);

 private:
  using Clock = std::chrono::steady_clock;

  LiveLines lines_;
  Clock::time_point next_ = Clock::now();
};

}  // namespace dsnn::cli
