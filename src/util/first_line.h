#pragma once

#include <string>

namespace dsnn {

/// Messages of foreign exceptions may be pages long.
inline std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace dsnn
