#pragma once

#include "util/internal_api.h"

#include <cstdint>

namespace dsnn {

/// Bytes of memory that this machine has, or its container may use.
DSNN_INTERNAL_API std::uint64_t physical_memory();

/// Cores that this machine has, at least 1.
DSNN_INTERNAL_API int num_cores();

/// Bytes of memory that this process has in use.
DSNN_INTERNAL_API std::uint64_t memory_in_use();

}  // namespace dsnn
