#pragma once

#include "dsnn/sweep/sweep.h"

#include <chrono>

namespace dsnn::cli {

/// Shows a sweep on stderr: a few live lines on a terminal, a line every few seconds elsewhere.
class SweepDisplay {
 public:
  SweepDisplay() = default;
  ~SweepDisplay();
  SweepDisplay(const SweepDisplay&) = delete;
  SweepDisplay& operator=(const SweepDisplay&) = delete;

  void show(const SweepProgress& progress);

 private:
  using Clock = std::chrono::steady_clock;

  int lines_on_screen_ = 0;
  Clock::time_point next_ = Clock::now();
};

}  // namespace dsnn::cli
