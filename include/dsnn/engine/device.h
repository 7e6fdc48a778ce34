#pragma once

#include "dsnn/export.h"

#include <cstddef>
#include <cstdint>
#include <memory>

namespace dsnn::kernels {
class Executor;
}

namespace dsnn::engine {

/// Where programs run: the processor, with a pool of threads of its own that stays for as long as
/// the device does. Copies share it. One thread at a time may use it.
class DSNN_API Device {
 public:
  /// Throws Error for a number below 1.
  static Device cpu(int num_threads = 1);

  int num_threads() const;
  /// How many of the threads work from now on, 1 to num_threads(). Changes no result.
  void use_threads(int count);
  int threads_in_use() const;

  /// As kernels take it.
  const kernels::Executor& executor() const;

 private:
  struct Data;
  explicit Device(std::shared_ptr<Data> data) : data_(std::move(data)) {}
  std::shared_ptr<Data> data_;
};

/// Memory that sessions place their values in, in large pages where the system has them.
class DSNN_API Arena {
 public:
  Arena() = default;
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  /// Makes it at least so large; what it held is lost if it has to grow. Throws Error if there is
  /// not so much memory.
  void reserve(std::size_t bytes);
  void* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  void* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace dsnn::engine
