#include "libtorch_memory.h"

#include "util/machine.h"

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
#endif

namespace dsnn::bench {

#if defined(__linux__)
namespace {

constexpr std::size_t kPage = std::size_t{1} << 21;
constexpr std::size_t kSmallestBlock = kPage / 2;

/// Blocks in use store their size; freed blocks are kept by size.
class LargePages {
 public:
  struct Block {
    void* memory;
    std::size_t size;
  };

  Block* take(std::size_t bytes) {
    const std::size_t size = (bytes + kPage - 1) / kPage * kPage;
    const std::lock_guard lock(mutex_);
    Block* block = take_waiting(size);
    if (block == nullptr) {
      // Blocks of other sizes may never be used again.
      while (!waiting_.empty() && kept_ + in_use_ + size > limit_) drop(waiting_.rbegin()->first);
      block = allocate(size);
    }
    in_use_ += size;
    return block;
  }

  void give(Block* block) {
    const std::lock_guard lock(mutex_);
    in_use_ -= block->size;
    waiting_[block->size].push_back(block);
    kept_ += block->size;
    if (kept_ + in_use_ > limit_) drop(block->size);
  }

 private:
  Block* take_waiting(std::size_t size) {
    const auto blocks = waiting_.find(size);
    if (blocks == waiting_.end()) return nullptr;
    Block* block = blocks->second.back();
    blocks->second.pop_back();
    if (blocks->second.empty()) waiting_.erase(blocks);
    kept_ -= size;
    return block;
  }

  /// Returns a free block of this size to the system.
  void drop(std::size_t size) {
    Block* block = take_waiting(size);
    std::free(block->memory);
    delete block;
  }

  Block* allocate(std::size_t size) {
    void* memory = std::aligned_alloc(kPage, size);
    while (memory == nullptr && !waiting_.empty()) {
      drop(waiting_.rbegin()->first);
      memory = std::aligned_alloc(kPage, size);
    }
    if (memory == nullptr) throw std::bad_alloc();
    madvise(memory, size, MADV_HUGEPAGE);  // only a hint
    return new Block{memory, size};
  }

  std::mutex mutex_;
  std::map<std::size_t, std::vector<Block*>> waiting_;  // by size; no size without a block
  std::size_t kept_ = 0, in_use_ = 0;                   // bytes of free and used blocks
  std::size_t limit_ = static_cast<std::size_t>(physical_memory() / 4 * 3);
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

}  // namespace dsnn::bench
