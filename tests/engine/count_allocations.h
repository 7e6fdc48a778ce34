#pragma once

#include <cstdint>

namespace dsnn::testing {

/// How often this program has called operator new; always 0 with sanitizers.
std::int64_t num_allocations();

}  // namespace dsnn::testing
