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

/// A program on a device, with the memory that it needs: passes allocate nothing. T is float or
/// double. One thread at a time may run it. The numbers do not depend on the device's threads.
template <class T>
class DSNN_API Session {
 public:
  /// The weights and, of a differentiated program, their gradients must outlive the session; so
  /// must the program. Sessions that share an arena overwrite each other's values. Gradients of
  /// weights that the program does not use are left alone.
  Session(const Program& program, Device device, std::span<const T> weights,
          std::span<T> gradients = {}, std::shared_ptr<Arena> arena = {});
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// What is shown each marked value, right after it was computed.
  using Probe = std::function<void(const std::string& part, std::span<const T> numbers)>;

  /// The steps before the gradients; `seed` is that of dropout.
  void forward(std::uint64_t seed = 0, const Probe& probe = {});
  /// The gradients, of what forward() computed last.
  void backward();

  /// The numbers of a value that is kept; of others they may be gone.
  std::span<const T> numbers(const Value& value) const;
  const Plan& plan() const;
  const std::shared_ptr<Arena>& arena() const;

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

}  // namespace dsnn::engine
