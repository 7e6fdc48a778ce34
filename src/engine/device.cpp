#include "dsnn/engine/device.h"

#include "dsnn/util/error.h"

#include "engine/thread_pool.h"
#include "kernels/gpu.h"

#include <fmt/format.h>
#include <system_error>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace dsnn::engine {

struct Device::Data {
  std::unique_ptr<ThreadPool> pool;  // one of these two
  std::unique_ptr<kernels::GpuExecutor> gpu;
};

Device Device::cpu(int num_threads) {
  if (num_threads < 1) {
    throw Error(fmt::format("threads: {} requested, expected 1 or more", num_threads));
  }
  auto data = std::make_shared<Data>();
  data->pool = std::make_unique<ThreadPool>(num_threads);
  return Device(std::move(data));
}

Device Device::cuda(int number) {
  auto data = std::make_shared<Data>();
  data->gpu = std::make_unique<kernels::GpuExecutor>(number);
  return Device(std::move(data));
}

int Device::num_gpus() { return kernels::Gpu::count(); }
std::string Device::why_no_gpu() { return kernels::Gpu::why_none(); }

Device Device::of_word(const std::string& word, int threads) {
  if (word == "cpu" || (word == "auto" && num_gpus() == 0)) return cpu(threads);
  if (word == "auto") return cuda(0);
  if (word == "cuda") return cuda(0);
  constexpr std::string_view kPrefix = "cuda:";
  int number = -1;
  if (word.starts_with(kPrefix)) {
    const char* end = word.data() + word.size();
    const auto [rest, error] = std::from_chars(word.data() + kPrefix.size(), end, number);
    if (error != std::errc() || rest != end) number = -1;
  }
  if (number < 0) throw Error(fmt::format("device '{}': expected cpu, cuda, cuda:N or auto", word));
  return cuda(number);
}

bool Device::is_gpu() const { return data_->gpu != nullptr; }
std::string Device::name() const { return is_gpu() ? gpu()->name() : "cpu"; }

int Device::num_threads() const { return is_gpu() ? 1 : data_->pool->size(); }
void Device::use_threads(int count) {
  if (!is_gpu()) data_->pool->set_limit(std::clamp(count, 1, data_->pool->size()));
}
int Device::threads_in_use() const { return is_gpu() ? 1 : data_->pool->num_threads(); }
const kernels::Executor& Device::executor() const {
  if (is_gpu()) return *data_->gpu;
  return *data_->pool;
}
const kernels::Gpu* Device::gpu() const { return is_gpu() ? data_->gpu->gpu() : nullptr; }

Arena::~Arena() { release(); }

void Arena::release() {
  if (gpu() == nullptr) {
    std::free(data_);
  } else if (data_ != nullptr) {
    gpu()->release(data_);
  }
  data_ = nullptr;
  size_ = 0;
}

void Arena::reserve(std::size_t bytes) {
  if (bytes <= size_) return;
  release();
  if (gpu() != nullptr) {
    data_ = gpu()->allocate(bytes);
    size_ = bytes;
    return;
  }
  // Large pages: gathers cause far fewer TLB misses, which are expensive on virtual machines. Small
  // arenas are only aligned to cache lines, to save memory.
  constexpr std::size_t kPage = std::size_t{1} << 21, kLine = 64;
  const std::size_t alignment = bytes >= kPage / 2 ? kPage : kLine;
  const std::size_t size = (bytes + alignment - 1) / alignment * alignment;
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
