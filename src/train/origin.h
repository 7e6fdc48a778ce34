#pragma once

#include "util/internal_api.h"

#include <string>

namespace dsnn {

/// The commit that this is built from: "1a2b3c4", "1a2b3c4+" if files had changed since, "" outside
/// a repository.
DSNN_INTERNAL_API const char* source_commit();

/// The name of the processor of this machine.
DSNN_INTERNAL_API std::string processor_name();

}  // namespace dsnn
