#pragma once

#include <cstddef>

namespace dsnn::bench {

// Every allocation of the process is counted: peak_memory.cpp replaces the global operator new.

/// Currently allocated bytes.
std::size_t allocated_bytes();
/// Resets the peak to the currently allocated bytes.
void reset_peak();
/// Largest number of allocated bytes since reset_peak().
std::size_t peak_bytes();

}  // namespace dsnn::bench
