#include "kernels/scratch.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>

namespace dsnn::kernels {
namespace {

constexpr std::size_t kAlignment = 64;

std::size_t padded(std::size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

struct Free {
  void operator()(std::byte* memory) const { std::free(memory); }
};

/// A piece of the system's memory, filled from its beginning.
struct Chunk {
  std::unique_ptr<std::byte, Free> memory;
  std::size_t size = 0, used = 0;

  explicit Chunk(std::size_t bytes) : size(padded(bytes)) {
    memory.reset(static_cast<std::byte*>(std::aligned_alloc(kAlignment, size)));
    if (!memory) throw std::bad_alloc();
  }
};

/// Grows by chunks while some of it is in use; when none is, one chunk replaces them all.
class Stack {
 public:
  void* take(std::size_t bytes) {
    const std::size_t size = padded(std::max<std::size_t>(bytes, 1));
    if (num_taken_ == 0 && chunks_.size() > 1) {
      std::size_t total = 0;
      for (const Chunk& chunk : chunks_) total += chunk.size;
      chunks_.clear();
      chunks_.emplace_back(total);
    }
    if (chunks_.empty() || chunks_.back().used + size > chunks_.back().size) {
      constexpr std::size_t kLeast = std::size_t{1} << 16;
      chunks_.emplace_back(std::max(size, kLeast));
    }
    Chunk& chunk = chunks_.back();
    void* memory = chunk.memory.get() + chunk.used;
    chunk.used += size;
    ++num_taken_;
    return memory;
  }

  void give(void* memory, std::size_t bytes) noexcept {
    const std::size_t size = padded(std::max<std::size_t>(bytes, 1));
    Chunk& top = chunks_.back();
    if (top.used >= size && memory == top.memory.get() + (top.used - size)) top.used -= size;
    if (--num_taken_ > 0) return;
    for (Chunk& chunk : chunks_) chunk.used = 0;
  }

 private:
  std::vector<Chunk> chunks_;
  std::size_t num_taken_ = 0;
};

Stack& stack() {
  thread_local Stack stack;
  return stack;
}

}  // namespace

void* take_scratch(std::size_t bytes) { return stack().take(bytes); }
void give_scratch(void* memory, std::size_t bytes) noexcept { stack().give(memory, bytes); }

}  // namespace dsnn::kernels
