#include "train/device_choice.h"

#include "dsnn/util/error.h"

#include <fmt/format.h>

#include <algorithm>

namespace dsnn {
namespace {

/// Milliseconds of an epoch, without the first ones.
double milliseconds(SplitTrainer& trainer, int threads) {
  constexpr int kWarm = 2;
  constexpr double kEnough = 0.1;  // seconds
  while (!trainer.is_finished() && trainer.result().epochs < kWarm) trainer.run_epoch(threads, 1);
  const double seconds = trainer.result().seconds;
  const std::int64_t epochs = trainer.result().epochs;
  do {
    trainer.run_epoch(threads, 8);
  } while (!trainer.is_finished() && trainer.result().seconds - seconds < kEnough);
  return 1000 * (trainer.result().seconds - seconds) /
         static_cast<double>(std::max<std::int64_t>(1, trainer.result().epochs - epochs));
}

}  // namespace

DeviceChoice choose_device(
    const std::function<std::unique_ptr<SplitTrainer>(const engine::Device&)>& make, int threads) {
  if (engine::Device::num_gpus() == 0) return {"cpu", "cpu: " + engine::Device::why_no_gpu()};
  const engine::Device gpu = engine::Device::cuda();
  double on_gpu = 0;
  try {
    on_gpu = milliseconds(*make(gpu), threads);
  } catch (const Error& error) {  // it may not have enough memory
    return {"cpu", fmt::format("cpu: {}", error.what())};
  }
  const double on_cpu = milliseconds(*make(engine::Device::cpu(threads)), threads);
  const bool is_faster = on_gpu < on_cpu;
  return {is_faster ? "cuda" : "cpu",
          fmt::format("{}: an epoch takes {:.3g} ms on the GPU ({}) and {:.3g} ms on the processor",
                      is_faster ? "cuda" : "cpu", on_gpu, gpu.name(), on_cpu)};
}

}  // namespace dsnn
