#pragma once

#include "dsnn/export.h"

#include <cstdint>

namespace dsnn {

/// Bytes of memory that this machine has, or its container may use.
DSNN_API std::uint64_t physical_memory();

/// Cores that this machine has, at least 1.
DSNN_API int num_cores();

}  // namespace dsnn
