#include "dsnn/ops/memory.h"

#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <new>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace dsnn::ops {

#if defined(__linux__)
namespace {

constexpr std::size_t kPage = std::size_t{1} << 21;
constexpr std::size_t kSmallestBlock = kPage / 2;

/// Blocks in use know their size; freed ones wait by size.
class LargePages {
 public:
  struct Block {
    void* memory;
    std::size_t size;
  };

  Block* take(std::size_t bytes) {
    const std::size_t size = (bytes + kPage - 1) / kPage * kPage;
    {
      const std::lock_guard lock(mutex_);
      auto& waiting = freed_[size];
      if (!waiting.empty()) {
        Block* block = waiting.back();
        waiting.pop_back();
        kept_ -= size;
        return block;
      }
    }
    void* memory = std::aligned_alloc(kPage, size);
    if (memory == nullptr) throw std::bad_alloc();
    madvise(memory, size, MADV_HUGEPAGE);  // advice: where it is not taken, pages are small
    return new Block{memory, size};
  }

  void give(Block* block) {
    {
      const std::lock_guard lock(mutex_);
      if (kept_ + block->size <= limit_) {
        kept_ += block->size;
        freed_[block->size].push_back(block);
        return;
      }
    }
    std::free(block->memory);
    delete block;
  }

 private:
  std::mutex mutex_;
  std::map<std::size_t, std::vector<Block*>> freed_;
  std::size_t kept_ = 0;
  std::size_t limit_ = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) *
                       static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) / 2;
};

/// Never destroyed: tensors may outlive everything.
LargePages& large_pages() {
  static auto* pages = new LargePages;
  return *pages;
}

void give_back(void* block) { large_pages().give(static_cast<LargePages::Block*>(block)); }

class LargePageAllocator final : public c10::Allocator {
 public:
  explicit LargePageAllocator(c10::Allocator* small) : small_(small) {}

  // LibTorch 1.13 has the first of these, newer versions the second, and the third besides; so none
  // says override. NOLINTBEGIN(modernize-use-override)
  at::DataPtr allocate(std::size_t bytes) const { return allocate_any(bytes); }
  at::DataPtr allocate(std::size_t bytes) { return allocate_any(bytes); }
  void copy_data(void* to, const void* from, std::size_t bytes) const {
    std::memcpy(to, from, bytes);
  }
  // NOLINTEND(modernize-use-override)

 private:
  at::DataPtr allocate_any(std::size_t bytes) const {
    if (bytes < kSmallestBlock) return small_->allocate(bytes);
    LargePages::Block* block = large_pages().take(bytes);
    return {block->memory, block, &give_back, at::Device(at::kCPU)};
  }

  c10::Allocator* small_;
};

}  // namespace

void use_large_pages() {
  static auto* allocator = new LargePageAllocator(c10::GetCPUAllocator());
  c10::SetCPUAllocator(allocator);
}
#else
void use_large_pages() {}
#endif

}  // namespace dsnn::ops
