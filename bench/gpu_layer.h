#pragma once

#include "dsnn/sheaf/sheaf.h"

#include <nlohmann/json.hpp>

#include <cstdint>

namespace dsnn::bench {

/// One layer y = L x with its maps on a random graph, forward and backward, compared with the
/// processor before it is timed.
nlohmann::ordered_json bench_layer(MapFamily family, const char* name, std::int64_t nodes,
                                   std::int64_t edges);

}  // namespace dsnn::bench
