#pragma once

#include "util/internal_api.h"

#include <string>
#include <vector>

namespace dsnn {

/// "; did you mean 'X'?" for the end of a message, where X is the candidate closest to `word` in
/// edit distance; "" if none is close.
DSNN_INTERNAL_API std::string did_you_mean(const std::string& word,
                                           const std::vector<std::string>& candidates);

}  // namespace dsnn
