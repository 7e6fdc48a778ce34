#include "c/devices.h"

#include "dsnn/util/error.h"

#include "kernels/executor.h"
#include "util/machine.h"

#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace dsnn::c {
namespace {

const kernels::SerialExecutor kSerial;

/// Devices that are not in use, by their number of threads. Never destroyed: calls that run while
/// the process ends may need their threads.
struct Idle {
  std::mutex mutex;
  std::map<int, std::vector<engine::Device>> devices;

  static Idle& instance() {
    static Idle* const idle = [] {
      auto* made = new Idle;
      // A child of fork() has none of these threads. It drops the devices and creates its own.
      pthread_atfork([] { instance().mutex.lock(); }, [] { instance().mutex.unlock(); },
                     [] {
                       new std::map(std::exchange(instance().devices, {}));
                       instance().mutex.unlock();
                     });
      return made;
    }();
    return *idle;
  }
};

}  // namespace

Threads::Threads(int count) {
  if (count < 0) throw Error(fmt::format("threads is {}, expected 0 or more", count));
  if (count == 1) return;
  static const int cores = num_cores();  // the system call takes longer than most passes
  count = count == 0 ? cores : std::min(count, 4 * cores);
  if (count == 1) return;  // the machine has one core
  Idle& idle = Idle::instance();
  {
    const std::lock_guard lock(idle.mutex);
    std::vector<engine::Device>& devices = idle.devices[count];
    if (!devices.empty()) {
      device_ = std::move(devices.back());
      devices.pop_back();
      return;
    }
  }
  device_ = engine::Device::cpu(count);
}

Threads::~Threads() {
  if (!device_) return;
  constexpr std::size_t kMostKept = 4;  // for each number of threads
  Idle& idle = Idle::instance();
  const std::lock_guard lock(idle.mutex);
  std::vector<engine::Device>& devices = idle.devices[device_->num_threads()];
  if (devices.size() < kMostKept) devices.push_back(*std::move(device_));
}

const kernels::Executor& Threads::executor() const {
  return device_ ? device_->executor() : kSerial;
}

}  // namespace dsnn::c
