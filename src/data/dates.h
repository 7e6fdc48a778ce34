#pragma once

#include "util/internal_api.h"

#include <optional>
#include <string_view>

namespace dsnn {

/// A date of ISO 8601 in days since 1970-01-01: "2024-05-31", also with a time, "2024-05-31 13:45"
/// or "2024-05-31T13:45:59.5Z". Nothing for other texts and for days that do not exist.
DSNN_INTERNAL_API std::optional<double> parse_date(std::string_view text);

}  // namespace dsnn
