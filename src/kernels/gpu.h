#pragma once

#include "kernels/executor.h"
#include "util/internal_api.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>

namespace dsnn::kernels {

/// Work recorded on a GPU, to be replayed as a whole: a CUDA graph.
class Recording;

/// A GPU with one stream, on which kernels run in order. Functions return before the work is done,
/// except those that say so. In a build without CUDA, none can be made.
class DSNN_INTERNAL_API Gpu {
 public:
  /// Throws Error, which says why, if this GPU cannot be used.
  explicit Gpu(int number);
  ~Gpu();
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;

  /// The number of GPUs that can be used, and, if it is 0, one sentence that says why.
  static int count();
  static std::string why_none();
  /// For display: "NVIDIA H200, 140 GB".
  std::string name() const;

  /// Throws Error with the number of bytes if there is not enough memory.
  void* allocate(std::size_t bytes) const;
  void release(void* memory) const noexcept;
  void upload(void* to, const void* from, std::size_t bytes) const;
  /// Waits until the values are there.
  void download(void* to, const void* from, std::size_t bytes) const;
  void copy(void* to, const void* from, std::size_t bytes) const;
  void clear(void* memory, std::size_t bytes) const;
  /// Waits until all work so far is done. Throws Error if any of it failed.
  void wait() const;

  /// Scratch memory of a step: it may be used again after the next start_step() of this branch.
  void* scratch(std::size_t bytes) const;
  /// The same, for counters, which are 0. Kernels leave them 0.
  int* counters(std::size_t count) const;
  void start_step() const;

  /// Branches of work, numbered from 0, which is the first. In a recording they run at the same
  /// time, except that work waits for marks; otherwise all work is in order. A branch begins with
  /// after(), and in the end branch 0 waits for all others.
  void use_branch(int branch) const;
  int branch() const;
  /// Parts of a step, numbered from 0, which is the branch itself; they share its scratch memory.
  /// A new part begins with after(), too.
  int part() const;
  void start_part() const;
  void return_to_part(int part) const;
  /// The work of this branch so far.
  int mark() const;
  /// Later work of this branch waits for it.
  void after(int mark) const;

  /// A copy on the GPU of an array of the host that does not change while the user lives: graphs,
  /// sparse matrices, constants. Copied on first use; forget() releases what no other user needs.
  const void* mirror(const void* host, std::size_t bytes) const;
  /// The same for values derived from such an array; make(memory) computes them on first use. The
  /// kind, from 1, tells apart what is derived from one array.
  const void* derived(const void* host, int kind, std::size_t bytes,
                      const std::function<void(void*)>& make) const;
  /// Releases the copies of arrays that are about to change, and what is derived from them.
  void forget_arrays(std::span<const void* const> hosts) const;
  void set_user(const void* user) const;
  void forget(const void* user) const noexcept;
  /// Memory in use for mirrors and scratch.
  std::size_t bytes_kept() const;

  /// The seed of the pass, in memory of the GPU: kernels with dropout read it.
  std::uint64_t* pass_seed() const;

  /// Work is recorded, not done, until finish_recording(). Nothing may be allocated meanwhile.
  void start_recording() const;
  std::shared_ptr<Recording> finish_recording() const;
  bool is_recording() const;
  void replay(const Recording& recording) const;

  struct Data;
  Data& data() const { return *data_; }

 private:
  std::unique_ptr<Data> data_;
};

/// Runs kernels on a GPU, whose memory their arrays are in.
class DSNN_INTERNAL_API GpuExecutor final : public Executor {
 public:
  explicit GpuExecutor(int number) : gpu_(number) {}
  int num_threads() const override { return 1; }
  void run(int count, FunctionRef<void()> work) const override;
  const Gpu* gpu() const override { return &gpu_; }

 private:
  Gpu gpu_;
};

/// An array in the memory of a GPU, which must outlive it.
template <class T>
class GpuArray {
 public:
  GpuArray() = default;
  GpuArray(const Gpu& gpu, std::size_t size)
      : gpu_(&gpu), data_(static_cast<T*>(gpu.allocate(size * sizeof(T)))), size_(size) {}
  GpuArray(const Gpu& gpu, std::span<const T> values) : GpuArray(gpu, values.size()) {
    upload(values);
  }
  ~GpuArray() {
    if (data_ != nullptr) gpu_->release(data_);
  }
  GpuArray(GpuArray&& other) noexcept { swap(other); }
  GpuArray& operator=(GpuArray&& other) noexcept {
    swap(other);
    return *this;
  }

  T* data() const { return data_; }
  std::size_t size() const { return size_; }
  void upload(std::span<const T> values) const {
    gpu_->upload(data_, values.data(), values.size_bytes());
  }
  void download(std::span<T> values) const {
    gpu_->download(values.data(), data_, values.size_bytes());
  }

 private:
  void swap(GpuArray& other) noexcept {
    std::swap(gpu_, other.gpu_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
  }

  const Gpu* gpu_ = nullptr;
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace dsnn::kernels
