#pragma once

#include "dsnn/engine/device.h"
#include "dsnn/engine/plan.h"
#include "dsnn/engine/program.h"
#include "dsnn/export.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

namespace dsnn::engine {

/// Where the weights and gradients of a session are.
enum class Memory {
  kHost,   ///< copied to and from a GPU in every pass
  kDevice  ///< in the memory of the session's device
};

/// A program on a device, with its memory: passes do not allocate. T is float or double. Only one
/// thread at a time may run it. Results do not depend on the number of threads of the device.
template <class T>
class DSNN_API Session {
 public:
  /// The weights and, of a differentiated program, their gradients must outlive the session; so
  /// must the program. Sessions that share an arena overwrite each other's values. Gradients of
  /// unused weights are not changed.
  Session(const Program& program, Device device, std::span<const T> weights,
          std::span<T> gradients = {}, std::shared_ptr<Arena> arena = {},
          Memory memory = Memory::kHost);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Called with each marked value, right after it was computed.
  using Probe = std::function<void(const std::string& part, std::span<const T> numbers)>;

  /// Runs the forward steps; `seed` is the seed of dropout. On a GPU with weights in its memory,
  /// this, start_forward() and backward() only start the work, which can be recorded.
  void forward(std::uint64_t seed = 0, const Probe& probe = {});
  /// The same on a GPU, with the seed that is in its memory. In a recording, steps that do not
  /// depend on each other run at the same time, in a few branches (kernels/gpu.h) numbered from
  /// `first_branch` on.
  void start_forward(int first_branch = 0);
  /// Computes the gradients for the last forward().
  void backward();

  /// The elements of a kept value; those of other values may be overwritten. On a GPU a copy, which
  /// the next call for the same value overwrites.
  std::span<const T> numbers(const Value& value) const;
  /// Their address in the memory of the device, after the first pass.
  const T* address(const Value& value) const;
  const Plan& plan() const;
  const std::shared_ptr<Arena>& arena() const;

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

}  // namespace dsnn::engine
