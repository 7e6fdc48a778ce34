#pragma once

#include "dsnn/export.h"

#include <stdexcept>
#include <string>

namespace dsnn {

/// An error of the caller, a file or the machine. The message is one sentence that names the
/// argument, or the file with its line or array, and says what was expected.
class DSNN_API Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Thrown by long computations after request_cancel(); see progress.h.
class DSNN_API Cancelled : public Error {
 public:
  Cancelled() : Error("cancelled") {}
};

}  // namespace dsnn
