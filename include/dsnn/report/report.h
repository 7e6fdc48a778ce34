#pragma once

#include "dsnn/data/dataset.h"
#include "dsnn/export.h"
#include "dsnn/train/run.h"
#include "dsnn/train/train.h"

#include <functional>
#include <string>

namespace dsnn {

struct ReportOptions {
  /// Trains networks for comparison, or reuses those in the folder `report` of the run: an MLP,
  /// which ignores the graph, and, for a model with a charge, the same model with charge 0, which
  /// ignores directions.
  bool compares = true;
  int jobs = 1;     ///< as for training
  int threads = 0;  ///< as for training
  /// Called with the name of the network that is trained.
  std::function<void(const std::string& name, const TrainProgress&)> observer;
};

/// A page about a run (HTML): scores with confidence intervals, learning curves, confusion,
/// calibration, the benefit of the graph and its directions, the worst mistakes, and what a sheaf
/// network learned. It needs no other file and no network. Throws Error if the dataset is not the
/// one that the run was trained on, or if a file of the run is missing or damaged.
DSNN_API std::string run_report(const Run& run, const Dataset& dataset,
                                const ReportOptions& options = {});

}  // namespace dsnn
