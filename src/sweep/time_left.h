#pragma once

#include "sweep/store.h"
#include "util/internal_api.h"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace dsnn {

/// How many trainings a sweep plans, by their limit of epochs (0: that of the configuration).
using TrainingPlan = std::map<std::int64_t, std::int64_t>;

/// Seconds of training that are left of a plan. Trainings take as long as those with the same limit
/// that are done took on the average, since many stop early; where none is done, all the epochs
/// that they may have (`most_epochs` for 0), each as long as in the others. Nothing can be told
/// before the first is done.
DSNN_INTERNAL_API std::optional<double> training_seconds_left(
    const TrainingPlan& plan, const std::vector<TrainingRecord>& done, std::int64_t most_epochs);

}  // namespace dsnn
