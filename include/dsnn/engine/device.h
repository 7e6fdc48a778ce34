#pragma once

#include "dsnn/export.h"

#include <cstddef>
#include <cstdint>
#include <memory>

namespace dsnn::kernels {
class Executor;
}

namespace dsnn::engine {

/// Where programs run: the processor, with its own thread pool, which lives as long as the device.
/// Copies share it. Only one thread at a time may use it.
class DSNN_API Device {
 public:
  /// Throws Error for a number below 1.
  static Device cpu(int num_threads = 1);

  int num_threads() const;
  /// Sets the number of threads in use, 1 to num_threads(). Does not change results.
  void use_threads(int count);
  int threads_in_use() const;

  /// The executor for kernels.
  const kernels::Executor& executor() const;

 private:
  struct Data;
  explicit Device(std::shared_ptr<Data> data) : data_(std::move(data)) {}
  std::shared_ptr<Data> data_;
};

/// Memory for the values of sessions, in large pages if available.
class DSNN_API Arena {
 public:
  Arena() = default;
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  /// Grows to at least this size; growing discards the contents. Throws Error if there is not
  /// enough memory.
  void reserve(std::size_t bytes);
  void* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  void* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace dsnn::engine
