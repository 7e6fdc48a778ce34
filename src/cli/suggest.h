#pragma once

#include <string>
#include <vector>

namespace dsnn::cli {

/// The candidate that is nearest to `word` in spelling (edit distance), or "" if none is near.
std::string nearest(const std::string& word, const std::vector<std::string>& candidates);

}  // namespace dsnn::cli
