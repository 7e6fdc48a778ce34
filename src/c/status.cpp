#include "c/status.h"

#include "dsnn/version.h"

#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>

namespace dsnn::c {
namespace {

std::string& sentence() {
  thread_local std::string instance;
  return instance;
}

/// Whether the message is the one about memory, which needs no memory itself.
bool& is_out_of_memory() {
  thread_local bool instance = false;
  return instance;
}

dsnn_status fail(dsnn_status status, const char* text) noexcept {
  try {
    is_out_of_memory() = false;
    sentence() = text;
  } catch (...) {
    is_out_of_memory() = true;
  }
  return status;
}

}  // namespace

dsnn_status status_of_exception() noexcept {
  try {
    throw;
  } catch (const Cancelled& error) {
    return fail(DSNN_CANCELLED, error.what());
  } catch (const Misuse& error) {
    return fail(DSNN_INVALID, error.what());
  } catch (const Error& error) {
    return fail(DSNN_ERROR, error.what());
  } catch (const std::bad_alloc&) {
    is_out_of_memory() = true;
    return DSNN_NO_MEMORY;
  } catch (const std::exception& error) {
    return fail(DSNN_INTERNAL, error.what());
  } catch (...) {
    return fail(DSNN_INTERNAL, "an exception of unknown type");
  }
}

void require(const void* pointer, const char* name) {
  if (pointer == nullptr) throw Misuse(std::string(name) + " is NULL");
}

char* new_text(const std::string& text) {
  auto* copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy == nullptr) throw std::bad_alloc();
  std::memcpy(copy, text.c_str(), text.size() + 1);
  return copy;
}

}  // namespace dsnn::c

extern "C" {

uint32_t dsnn_c_api_version(void) { return DSNN_C_API_VERSION; }

const char* dsnn_version(void) { return DSNN_VERSION; }

const char* dsnn_last_error(void) {
  if (dsnn::c::is_out_of_memory()) return "out of memory";
  return dsnn::c::sentence().c_str();
}

void dsnn_text_free(char* text) { std::free(text); }

}  // extern "C"
