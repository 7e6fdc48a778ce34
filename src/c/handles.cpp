#include "c/handles.h"

#include <atomic>

namespace dsnn::c {

std::uintptr_t new_handle_number() {
  static std::atomic<std::uintptr_t> last{0};
  return ++last;
}

}  // namespace dsnn::c
