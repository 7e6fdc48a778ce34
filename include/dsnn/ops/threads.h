#pragma once

#include "dsnn/export.h"

namespace dsnn::ops {

/// How many threads operators and matrix products use from now on: LibTorch's, and those of
/// OpenBLAS where it is what LibTorch multiplies with, which keeps a pool of its own. Debian's
/// LibTorch starts with one. Results do not depend on it. Throws Error for a number below 1.
DSNN_API void set_num_threads(int count);

/// The same for operators that the calling thread calls, and without OpenBLAS, whose number is one
/// for all.
DSNN_API void set_num_threads_of_caller(int count);

}  // namespace dsnn::ops
