#pragma once

#include <array>
#include <string_view>

namespace dsnn {

/// Headings of the columns of edges.
inline constexpr std::array<std::string_view, 9> kSourceWords = {
    "source", "src", "from", "from_node", "fromnodeid", "source_id", "citing", "tail", "u"};
inline constexpr std::array<std::string_view, 9> kTargetWords = {
    "target", "dst", "to", "to_node", "tonodeid", "target_id", "cited", "head", "v"};

}  // namespace dsnn
