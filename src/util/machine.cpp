#include "util/machine.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <thread>

namespace dsnn {

std::uint64_t physical_memory() {
  static const std::uint64_t bytes = [] {
    const std::uint64_t machine = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
                                  static_cast<std::uint64_t>(::sysconf(_SC_PAGE_SIZE));
    std::ifstream file("/sys/fs/cgroup/memory.max");  // "max" if unlimited
    std::uint64_t limit = 0;
    return file >> limit && limit > 0 ? std::min(machine, limit) : machine;
  }();
  return bytes;
}

int num_cores() { return static_cast<int>(std::max(1u, std::thread::hardware_concurrency())); }

std::uint64_t memory_in_use() {
  // The second number is the number of resident pages.
  std::ifstream file("/proc/self/statm");
  std::uint64_t size = 0, resident = 0;
  file >> size >> resident;
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace dsnn
