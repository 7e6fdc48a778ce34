#pragma once

#include "dsnn/export.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace dsnn::kernels {
class Executor;
class Gpu;
}  // namespace dsnn::kernels

namespace dsnn::engine {

/// Where programs run: the processor, with its own thread pool, or a GPU, with a stream of its own.
/// These live as long as the device, whose copies share them. Only one thread at a time may use it.
class DSNN_API Device {
 public:
  /// Throws Error for a number below 1.
  static Device cpu(int num_threads = 1);
  /// The GPU with this number. Throws Error, which says why, if it cannot be used.
  static Device cuda(int number = 0);
  /// The number of GPUs that can be used, and, if it is 0, one sentence that says why.
  static int num_gpus();
  static std::string why_no_gpu();
  /// "cpu", "cuda", "cuda:N", or "auto": the first GPU if there is one. `threads` are those of a
  /// processor. Throws Error for other words.
  static Device of_word(const std::string& word, int threads);

  bool is_gpu() const;
  /// For display: "cpu", or the name of the GPU.
  std::string name() const;
  int num_threads() const;
  /// Sets the number of threads in use, 1 to num_threads(). Does not change results.
  void use_threads(int count);
  int threads_in_use() const;

  /// The executor for kernels.
  const kernels::Executor& executor() const;
  /// The GPU, or null.
  const kernels::Gpu* gpu() const;

 private:
  struct Data;
  explicit Device(std::shared_ptr<Data> data) : data_(std::move(data)) {}
  std::shared_ptr<Data> data_;
};

/// Memory for the values of sessions: of a GPU, or of the host, in large pages if available.
class DSNN_API Arena {
 public:
  Arena() = default;
  explicit Arena(Device device) : device_(std::make_unique<Device>(std::move(device))) {}
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  /// Grows to at least this size; growing discards the contents. Throws Error if there is not
  /// enough memory.
  void reserve(std::size_t bytes);
  void* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  void release();
  const kernels::Gpu* gpu() const { return device_ ? device_->gpu() : nullptr; }

  std::unique_ptr<Device> device_;  // none: the host
  void* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace dsnn::engine
