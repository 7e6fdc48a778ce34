#pragma once

#include <cstddef>

namespace dsnn::bench {

// Every allocation of the process is counted: peak_memory.cpp replaces the global operator new.

/// Bytes allocated now.
std::size_t allocated_bytes();
/// Starts a new peak at what is allocated now.
void reset_peak();
/// Most bytes allocated at one time since reset_peak().
std::size_t peak_bytes();

}  // namespace dsnn::bench
