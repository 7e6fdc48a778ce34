#pragma once

#include "util/internal_api.h"

#include <nlohmann/json_fwd.hpp>

#include <iosfwd>
#include <string>

namespace dsnn {

// JSON from text and back. The library's own functions for it are templates, which would be
// compiled in every unit that calls them.

/// is_discarded() if the text is no JSON; at() of that throws what a lacking member does.
DSNN_INTERNAL_API nlohmann::ordered_json parse_json(const std::string& text);
DSNN_INTERNAL_API nlohmann::ordered_json parse_json(std::istream& stream);

/// On one line, or with members on lines of their own, `indent` further in at each level. A byte
/// that is no UTF-8 becomes U+FFFD.
DSNN_INTERNAL_API std::string json_text(const nlohmann::ordered_json& json, int indent = -1);

}  // namespace dsnn
