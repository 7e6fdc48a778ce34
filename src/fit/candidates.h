#pragma once

#include "dsnn/fit/fit.h"

#include <cstdint>
#include <vector>

namespace dsnn {

/// Trials that are compared with each other. The first bracket has one configuration of each kind
/// of model; later ones draw half of theirs at random and change the others' parameters.
inline constexpr std::int64_t kBracket = 18;

/// Most epochs of a trial, and how many pass without a better validation score before it ends.
inline constexpr std::int64_t kFitEpochs = 400, kFitPatience = 100;

/// The trial with this number. `best` are the trials of earlier brackets, best first.
FitTrial make_candidate(std::int64_t number, const FitOptions& options,
                        const std::vector<FitTrial>& best);

}  // namespace dsnn
