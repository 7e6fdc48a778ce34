#include "dsnn/ops/memory.h"

#include "util/machine.h"

#include <ATen/Functions.h>

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>

namespace dsnn {
namespace {

/// Bytes of address space that this process has.
std::int64_t virtual_memory() {
  std::int64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * ::sysconf(_SC_PAGE_SIZE);
}

// Tensors of ever other sizes, as a search over sizes of networks has: what was freed waits for
// others of its size, which never come.
TEST(LargePages, AreGivenBackForOtherSizes) {
  ops::use_large_pages();
  const auto memory = static_cast<std::int64_t>(physical_memory());
  const std::int64_t before = virtual_memory();
  for (std::int64_t i = 0; i < 20; ++i) {
    at::empty({memory / 10 + i * (std::int64_t{4} << 20)}, at::kByte);  // not touched
  }
  EXPECT_LT(virtual_memory() - before, memory / 10 * 9);
  const at::Tensor live = at::empty({memory / 2}, at::kByte);
  EXPECT_LT(virtual_memory() - before, memory / 10 * 9);
  // One of the same size as before has the same place.
  void* place = at::empty({std::int64_t{3} << 20}, at::kByte).data_ptr();
  EXPECT_EQ(at::empty({std::int64_t{3} << 20}, at::kByte).data_ptr(), place);
}

}  // namespace
}  // namespace dsnn
