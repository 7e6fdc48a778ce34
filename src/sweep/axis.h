#pragma once

#include "dsnn/sweep/space.h"

#include "util/internal_api.h"

#include <optional>

namespace dsnn {

/// How the values of a dimension lie on a line.
enum class AxisScale {
  kPoints,  ///< words and switches, side by side
  kLinear,
  kLog
};

/// The scale of a range is its own. Numbers of a list are linear or logarithmic, whichever keeps
/// the closest two of them further apart.
DSNN_INTERNAL_API AxisScale axis_scale(const Dimension& dimension);

/// Whether there is more than one value to choose from.
DSNN_INTERNAL_API bool is_searched(const Dimension& dimension);

/// Nothing for a switch or a word.
std::optional<double> number_of(const ParameterValue& value);

}  // namespace dsnn
