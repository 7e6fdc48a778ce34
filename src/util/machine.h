#pragma once

#include <unistd.h>

#include <cstdint>

namespace dsnn {

/// Bytes of memory that this machine has.
inline std::uint64_t physical_memory() {
  return static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::uint64_t>(::sysconf(_SC_PAGE_SIZE));
}

}  // namespace dsnn
