#pragma once

#include "dsnn/train/scores.h"

#include "util/internal_api.h"

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace dsnn {

/// The words for metrics of pairs.
DSNN_INTERNAL_API const std::vector<std::string>& link_metrics();

/// A score by its word. Throws Error if it is not defined: rankings need two classes.
DSNN_INTERNAL_API double metric_of(const Scores& scores, const std::string& metric);

/// Ranking scores by their names in files, without the AUC, which nodes have as well.
DSNN_INTERNAL_API std::vector<std::pair<std::string, double>> named_ranks(const RankScores& ranks);

/// Scores of pairs; logits: [pairs, outputs], one output for the classes 0 and 1, else one for each
/// class. Rankings compare the pairs of class 1 with those of class 0.
DSNN_INTERNAL_API Scores link_scores(std::span<const float> logits, std::int64_t outputs,
                                     std::span<const std::int64_t> labels,
                                     const std::string& metric);

}  // namespace dsnn
