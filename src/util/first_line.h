#pragma once

#include <string>

namespace dsnn {

/// What others throw may go on for pages.
inline std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace dsnn
