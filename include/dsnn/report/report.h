#pragma once

#include "dsnn/data/dataset.h"
#include "dsnn/export.h"
#include "dsnn/train/ensemble.h"
#include "dsnn/train/train.h"

#include <functional>
#include <string>

namespace dsnn {

struct ReportOptions {
  /// Trains what the model is compared with, or takes it from the folder `report` of the run, where
  /// it is kept: an MLP, which does not see the graph, and for a model with a charge the same one
  /// with charge 0, which does not see directions.
  bool compares = true;
  int jobs = 1;     ///< as for training
  int threads = 0;  ///< as for training
  /// Called with the name of what is trained.
  std::function<void(const std::string& name, const TrainProgress&)> observer;
};

/// A page (HTML) about a run, or about an ensemble of runs: scores with confidence intervals,
/// learning curves, confusion, calibration, what the graph and its directions are worth, the worst
/// mistakes, and what a sheaf network learned. The page needs no other file and no network. Of an
/// ensemble, the first member with a charge is compared with others, and the first sheaf network is
/// looked into. Throws Error if the dataset is not the one that the run was trained on, or if a
/// file of the run is missing or damaged.
DSNN_API std::string run_report(const Ensemble& ensemble, const Dataset& dataset,
                                const ReportOptions& options = {});

}  // namespace dsnn
