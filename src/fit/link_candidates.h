#pragma once

#include "dsnn/fit/fit.h"

#include <cstdint>
#include <string>
#include <vector>

namespace dsnn {

/// A trial of links. The first ones are kinds of encoders, each with a decoder that suits it; later
/// ones are drawn at random.
FitTrial make_link_candidate(std::int64_t number, const FitOptions& options);

/// Throws Error for a setting that no model has.
void check_link_settings(const std::vector<std::string>& settings);

}  // namespace dsnn
