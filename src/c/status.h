#pragma once

#include "dsnn/c.h"
#include "dsnn/util/error.h"

#include <string>

namespace dsnn::c {

/// A handle or a pointer that cannot be used: DSNN_INVALID.
class Misuse : public Error {
 public:
  using Error::Error;
};

/// Keeps the sentence for dsnn_last_error() and returns the status of the exception that is being
/// handled.
dsnn_status status_of_exception() noexcept;

/// Runs what a function of the interface does. Nothing is thrown out of it.
template <class Body>
dsnn_status guarded(Body&& body) noexcept {
  try {
    body();
    return DSNN_OK;
  } catch (...) {
    return status_of_exception();
  }
}

/// Throws Misuse if a pointer that must be there is null.
void require(const void* pointer, const char* name);

/// A copy that the caller gives back with dsnn_text_free().
char* new_text(const std::string& text);

}  // namespace dsnn::c
