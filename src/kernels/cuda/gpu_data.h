#pragma once

#include "kernels/gpu.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

namespace dsnn::kernels {

/// The scratch memory of a GPU: pieces that are only ever added, so that addresses in a recording
/// stay valid. Equal requests in a step get equal addresses.
class GpuScratch {
 public:
  /// `is_cleared`: pieces are 0 at first.
  void* take(const Gpu& gpu, std::size_t bytes, bool is_cleared = false) {
    const std::size_t size =
        (std::max<std::size_t>(bytes, 1) + kAlignment - 1) / kAlignment * kAlignment;
    while (piece_ < pieces_.size() && used_ + size > pieces_[piece_].size) {
      ++piece_;
      used_ = 0;
    }
    if (piece_ == pieces_.size()) {
      const std::size_t made = std::max(size, kLeast);
      pieces_.push_back({gpu.allocate(made), made});
      if (is_cleared) gpu.clear(pieces_.back().memory, made);
    }
    void* memory = static_cast<std::byte*>(pieces_[piece_].memory) + used_;
    used_ += size;
    return memory;
  }
  void restart() { piece_ = used_ = 0; }
  void clear(const Gpu& gpu) {
    for (const Piece& piece : pieces_) gpu.release(piece.memory);
    pieces_.clear();
    restart();
  }
  std::size_t bytes() const {
    std::size_t sum = 0;
    for (const Piece& piece : pieces_) sum += piece.size;
    return sum;
  }

 private:
  static constexpr std::size_t kAlignment = 256, kLeast = std::size_t{1} << 18;
  struct Piece {
    void* memory;
    std::size_t size;
  };
  std::vector<Piece> pieces_;
  std::size_t piece_ = 0, used_ = 0;
};

/// Copies on a GPU of arrays of the host, by address, with their users.
class GpuMirrors {
 public:
  template <class Make>
  const void* get(const Gpu& gpu, const void* host, std::size_t bytes, int kind, const Make& make) {
    Entry& entry = entries_[{host, bytes, kind}];
    if (entry.memory == nullptr) {
      entry.memory = gpu.allocate(bytes);
      make(entry.memory);
    }
    entry.users.insert(user_);
    return entry.memory;
  }
  void set_user(const void* user) { user_ = user; }
  void forget(const Gpu& gpu, const void* user) {
    for (auto it = entries_.begin(); it != entries_.end();) {
      it->second.users.erase(user);
      if (!it->second.users.empty()) {
        ++it;
        continue;
      }
      if (it->second.memory != nullptr) gpu.release(it->second.memory);
      it = entries_.erase(it);
    }
  }
  void forget_array(const Gpu& gpu, const void* host) {
    for (auto it = entries_.begin(); it != entries_.end();) {
      if (it->first.host != host) {
        ++it;
        continue;
      }
      if (it->second.memory != nullptr) gpu.release(it->second.memory);
      it = entries_.erase(it);
    }
  }
  void clear(const Gpu& gpu) {
    for (auto& [key, entry] : entries_) {
      if (entry.memory != nullptr) gpu.release(entry.memory);
    }
    entries_.clear();
  }
  std::size_t bytes() const {
    std::size_t sum = 0;
    for (const auto& [key, entry] : entries_) sum += key.bytes;
    return sum;
  }

 private:
  struct Key {
    const void* host;
    std::size_t bytes;
    int kind;  // 0: a copy
    auto operator<=>(const Key&) const = default;
  };
  struct Entry {
    void* memory = nullptr;
    std::set<const void*> users;
  };
  std::map<Key, Entry> entries_;
  const void* user_ = nullptr;
};

/// What a GPU has, whether it is real or emulated.
struct Gpu::Data {
  struct Branch {
    GpuScratch scratch, counters;
  };
  std::vector<std::unique_ptr<Branch>> branches;
  int branch = 0;               // in use
  int part = 0, num_parts = 1;  // of its step
  GpuMirrors mirrors;
  std::uint64_t* pass_seed = nullptr;

  Data() = default;
  Data(const Data&) = delete;
  Data& operator=(const Data&) = delete;
  virtual ~Data() = default;

  void open(const Gpu& gpu) {
    pass_seed = static_cast<std::uint64_t*>(gpu.allocate(sizeof(std::uint64_t)));
    gpu.clear(pass_seed, sizeof(std::uint64_t));
  }
  Branch& memory() {
    const auto index = static_cast<std::size_t>(branch);
    while (branches.size() <= index) branches.push_back(std::make_unique<Branch>());
    return *branches[index];
  }
  void close(const Gpu& gpu) {
    for (const auto& each : branches) {
      each->scratch.clear(gpu);
      each->counters.clear(gpu);
    }
    mirrors.clear(gpu);
    gpu.release(pass_seed);
  }
};

}  // namespace dsnn::kernels
