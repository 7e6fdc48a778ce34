#pragma once

#include "dsnn/train/run.h"

#include "report/curves.h"
#include "report/statistics.h"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <optional>
#include <vector>

// What the pages about runs of nodes and of links have in common.
namespace dsnn {

/// Throws Error unless the run was trained on the dataset.
void check_dataset(const Run& run, const Dataset& dataset);

nlohmann::ordered_json interval_json(const std::optional<Interval>& interval);
/// The mean over splits. For a single one, `single` is the interval.
nlohmann::ordered_json mean_json(const std::vector<double>& values,
                                 const std::optional<Interval>& single);
/// A curve of a member's training on a split; without those of validation if there is none.
nlohmann::ordered_json curves_json(std::size_t member, int split, const Run& run,
                                   const LearningCurves& curves, bool has_validation);
/// Model, seed, parameters and the mean of its scores.
nlohmann::ordered_json member_json(const Run& run, const std::vector<double>& scores);

}  // namespace dsnn
