#pragma once

#include "train/split_task.h"
#include "train/training_data.h"

#include <memory>
#include <optional>

namespace dsnn {

/// Makes the tasks of the splits of a dataset, as a configuration describes them. Tasks of nodes
/// share one graph, tasks of links have one each.
class DSNN_INTERNAL_API TaskMaker {
 public:
  /// `preparation` is used for nodes. The dataset and the configuration must outlive it and all
  /// its tasks.
  TaskMaker(const Dataset& dataset, const Config& config, const FeaturePreparation& preparation,
            std::shared_ptr<const Halo> halo = {});
  TaskMaker(const Dataset& dataset, const Config& config);

  /// Thread-safe.
  std::unique_ptr<SplitTask> make(int split) const;

 private:
  const Dataset& dataset_;
  const Config& config_;
  std::optional<TrainingData> nodes_;
};

}  // namespace dsnn
