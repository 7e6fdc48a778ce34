#pragma once

#include "dsnn/c.h"
#include "dsnn/util/error.h"

#include <string>

namespace dsnn::c {

/// An invalid handle or pointer: DSNN_INVALID.
class Misuse : public Error {
 public:
  using Error::Error;
};

/// Stores the message of the exception being handled for dsnn_last_error(), and returns its status.
dsnn_status status_of_exception() noexcept;

/// Runs the body of a function of the interface. Never throws.
template <class Body>
dsnn_status guarded(Body&& body) noexcept {
  try {
    body();
    return DSNN_OK;
  } catch (...) {
    return status_of_exception();
  }
}

/// Throws Misuse if a required pointer is null.
void require(const void* pointer, const char* name);

/// A copy that the caller frees by dsnn_text_free().
char* new_text(const std::string& text);

}  // namespace dsnn::c
