#pragma once

#include "dsnn/data/dataset.h"
#include "dsnn/export.h"
#include "dsnn/fit/fit.h"
#include "dsnn/train/train.h"

#include <vector>

namespace dsnn {

struct LinkFitResult {
  std::vector<FitTrial> trials;  ///< the best first, by Scores::value() on the validation pairs
  TrainResult best;              ///< the final training of the best one
  double seconds = 0;
};

/// Finds a model and a decoder for the links of a dataset: trains several on one split, and the
/// best of them again, for longer, into the folder, which is a run folder (with data.npz, the
/// dataset). Uses of the options: trials or seconds (for the search; the final training comes on
/// top), split, seed, settings, folder and observer. With a number of trials, the same seed gives
/// the same bits. Throws Cancelled after request_cancel().
DSNN_API LinkFitResult fit_links(const Dataset& dataset, const FitOptions& options);

}  // namespace dsnn
