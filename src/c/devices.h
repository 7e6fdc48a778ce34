#pragma once

#include "dsnn/engine/device.h"

#include <optional>

namespace dsnn::c {

/// Threads for one call: a device from a pool of the process, which no other call uses meanwhile.
class Threads {
 public:
  /// At most `count` threads; 0: as many as the machine has cores. Throws Error if it is negative.
  explicit Threads(int count);
  ~Threads();
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  const kernels::Executor& executor() const;

 private:
  std::optional<engine::Device> device_;  // none: only the caller's thread
};

}  // namespace dsnn::c
