#pragma once

#include "cli/terminal.h"
#include "cli/train_display.h"
#include "reproduce/run_cells.h"

#include <chrono>
#include <functional>
#include <optional>
#include <string>

namespace dsnn::cli {

/// Shows progress: splits as in 'dsnn train', and one line for each finished training.
class CellDisplay : public reproduce::CellObserver {
 public:
  /// `changed` is called after each training.
  explicit CellDisplay(std::function<void()> changed) : changed_(std::move(changed)) {}

  void plan(int total, double seconds) override;
  void begin(const reproduce::Cell& cell, const reproduce::SeedRun& run, int number, int total,
             std::size_t num_splits, double seconds_left) override;
  void show(const TrainProgress& progress) override;
  void end(const reproduce::Cell& cell, const reproduce::SeedRun& run, int number, int total,
           double seconds) override;
  void note(const std::string& text) override;

 protected:
  void clear() { display_.reset(); }

 private:
  std::function<void()> changed_;
  std::optional<TrainDisplay> display_;
  std::string name_;         // of the training
  double seconds_left_ = 0;  // at its start, for this training and all later ones; 0: unknown
  std::chrono::steady_clock::time_point start_;
};

/// Shows progress only; the caller prints the results.
class CheckDisplay : public CellDisplay {
 public:
  CheckDisplay() : CellDisplay({}) {}
  void end(const reproduce::Cell&, const reproduce::SeedRun&, int, int, double) override {
    clear();
  }
};

}  // namespace dsnn::cli
