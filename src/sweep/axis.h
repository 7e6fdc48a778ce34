#pragma once

#include "dsnn/sweep/space.h"

#include "util/internal_api.h"

#include <optional>

namespace dsnn {

/// The positions of the values of a dimension on an axis.
enum class AxisScale {
  kPoints,  ///< words and booleans, evenly spaced
  kLinear,
  kLog
};

/// A range has its own scale. Numbers of a list are linear or logarithmic, whichever separates the
/// closest two better.
DSNN_INTERNAL_API AxisScale axis_scale(const Dimension& dimension);

/// Whether there is more than one value to choose from.
DSNN_INTERNAL_API bool is_searched(const Dimension& dimension);

/// Nothing for a boolean or a word.
std::optional<double> number_of(const ParameterValue& value);

}  // namespace dsnn
