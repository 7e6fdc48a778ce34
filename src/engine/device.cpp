#include "dsnn/engine/device.h"

#include "dsnn/util/error.h"

#include "engine/thread_pool.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace dsnn::engine {

struct Device::Data {
  explicit Data(int num_threads) : pool(num_threads) {}
  ThreadPool pool;
};

Device Device::cpu(int num_threads) {
  if (num_threads < 1) {
    throw Error(fmt::format("threads: {} requested, expected 1 or more", num_threads));
  }
  return Device(std::make_shared<Data>(num_threads));
}

int Device::num_threads() const { return data_->pool.size(); }
void Device::use_threads(int count) {
  data_->pool.set_limit(std::clamp(count, 1, data_->pool.size()));
}
int Device::threads_in_use() const { return data_->pool.num_threads(); }
const kernels::Executor& Device::executor() const { return data_->pool; }

Arena::~Arena() { std::free(data_); }

void Arena::reserve(std::size_t bytes) {
  if (bytes <= size_) return;
  // Large pages: gathers cause far fewer TLB misses, which are expensive on virtual machines. Small
  // arenas are only aligned to cache lines, to save memory.
  constexpr std::size_t kPage = std::size_t{1} << 21, kLine = 64;
  const std::size_t alignment = bytes >= kPage / 2 ? kPage : kLine;
  const std::size_t size = (bytes + alignment - 1) / alignment * alignment;
  std::free(data_);
  size_ = 0;
  data_ = std::aligned_alloc(alignment, size);
  if (data_ == nullptr) {
    throw Error(fmt::format("memory: cannot allocate {} MB", size / 1'000'000));
  }
#if defined(__linux__)
  if (alignment == kPage) madvise(data_, size, MADV_HUGEPAGE);  // only a hint
#endif
  size_ = size;
}

}  // namespace dsnn::engine
