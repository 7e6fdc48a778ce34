#pragma once

#include "dsnn/fit/fit.h"

#include <cstdint>
#include <vector>

namespace dsnn {

/// Trials that are compared with each other. The first bracket has one configuration per kind of
/// model; later brackets draw half of their trials at random and mutate good trials for the rest.
inline constexpr std::int64_t kBracket = 18;

/// Largest number of epochs of a trial, and its patience.
inline constexpr std::int64_t kFitEpochs = 400, kFitPatience = 100;

/// The trial with this number. `best` are the trials of earlier brackets, best first.
FitTrial make_candidate(std::int64_t number, const FitOptions& options,
                        const std::vector<FitTrial>& best);

}  // namespace dsnn
