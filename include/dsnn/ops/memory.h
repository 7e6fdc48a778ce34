#pragma once

#include "dsnn/export.h"

namespace dsnn::ops {

/// Makes LibTorch take large tensors (1 MB or more) from 2 MB pages, and keep the memory of those
/// it frees for the next ones of the same size: gathers then miss the address cache far less often,
/// and no step of a training waits for the system to clear pages. Both matter most on virtual
/// machines. No more is kept than leaves a quarter of the machine's memory to others. Affects the
/// whole process, from the call on; programs call it first thing. Does nothing where the system has
/// no such pages.
DSNN_API void use_large_pages();

}  // namespace dsnn::ops
