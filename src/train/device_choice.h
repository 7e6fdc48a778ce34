#pragma once

#include "dsnn/engine/device.h"

#include "train/split_trainer.h"

#include <functional>
#include <memory>
#include <string>

namespace dsnn {

/// The faster device for a training, and one sentence that says why.
struct DeviceChoice {
  std::string word = "cpu";
  std::string reason;
};

/// Measures some epochs on the processor and on the first GPU, if there is one, with trainers that
/// `make` makes. `threads` are those of the processor.
DeviceChoice choose_device(
    const std::function<std::unique_ptr<SplitTrainer>(const engine::Device&)>& make, int threads);

}  // namespace dsnn
