// Counts every allocation of this test program, including those of the libraries. In a separate
// file, because the compiler warns if it sees these functions together with their callers.
#include "engine/count_allocations.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::int64_t> count = 0;

}  // namespace

namespace dsnn::testing {

std::int64_t num_allocations() { return count; }

}  // namespace dsnn::testing

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // these bring their own
void* operator new(std::size_t size) {
  ++count;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
#endif
