#pragma once

#include "sweep/store.h"
#include "util/internal_api.h"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace dsnn {

/// The number of planned trainings of a sweep, by limit of epochs (0: that of the configuration).
using TrainingPlan = std::map<std::int64_t, std::int64_t>;

/// Remaining seconds of training of a plan. A training is assumed to take the mean time of finished
/// trainings with the same limit, since many stop early; without any, the time of all its epochs
/// (`most_epochs` for 0), at the mean time per epoch of the others. Nothing before the first
/// training is finished.
DSNN_INTERNAL_API std::optional<double> training_seconds_left(
    const TrainingPlan& plan, const std::vector<TrainingRecord>& done, std::int64_t most_epochs);

}  // namespace dsnn
