#pragma once

#include "dsnn/export.h"

#include <string>
#include <vector>

namespace dsnn {

/// The candidate that is nearest to `word` in spelling (edit distance), or "" if none is near.
DSNN_API std::string nearest(const std::string& word, const std::vector<std::string>& candidates);

}  // namespace dsnn
