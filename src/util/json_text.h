#pragma once

#include "util/internal_api.h"

#include <nlohmann/json_fwd.hpp>

#include <iosfwd>
#include <string>

namespace dsnn {

// Conversion between JSON and text. The functions of the JSON library are templates, which would be
// compiled in every unit that calls them.

/// is_discarded() if the text is not JSON; at() then throws as for a missing member.
DSNN_INTERNAL_API nlohmann::ordered_json parse_json(const std::string& text);
DSNN_INTERNAL_API nlohmann::ordered_json parse_json(std::istream& stream);

/// On one line, or with one member per line, indented by `indent` per level. Bytes that are not
/// UTF-8 become U+FFFD.
DSNN_INTERNAL_API std::string json_text(const nlohmann::ordered_json& json, int indent = -1);

}  // namespace dsnn
