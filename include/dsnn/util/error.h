#pragma once

#include "dsnn/export.h"

#include <stdexcept>
#include <string>

namespace dsnn {

/// Anything the caller, a file or the machine got wrong. The message is one sentence that names the
/// argument, or the file with its line or array, and says what was expected.
class DSNN_API Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Thrown out of long computations after request_cancel(); see progress.h.
class DSNN_API Cancelled : public Error {
 public:
  Cancelled() : Error("cancelled") {}
};

}  // namespace dsnn
