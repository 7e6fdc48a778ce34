#pragma once

#include "dsnn/engine/device.h"

#include <optional>

namespace dsnn::c {

/// Threads for one call: a device that no other call uses, from those that the process keeps.
class Threads {
 public:
  /// At most so many; 0: the machine's cores. Throws Error for a negative number.
  explicit Threads(int count);
  ~Threads();
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  const kernels::Executor& executor() const;

 private:
  std::optional<engine::Device> device_;  // none: the caller's thread alone
};

}  // namespace dsnn::c
