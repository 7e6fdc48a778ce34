#include "train/task_maker.h"

#include "train/link_task.h"
#include "train/node_task.h"

#include <utility>

namespace dsnn {

TaskMaker::TaskMaker(const Dataset& dataset, const Config& config,
                     const FeaturePreparation& preparation, std::shared_ptr<const Halo> halo)
    : dataset_(dataset), config_(config) {
  if (task_of(config) == TaskKind::kNodes) {
    nodes_.emplace(make_training_data(dataset, preparation, std::move(halo)));
  }
}

TaskMaker::TaskMaker(const Dataset& dataset, const Config& config)
    : TaskMaker(dataset, config, fit_preparation(dataset, config)) {}

std::unique_ptr<SplitTask> TaskMaker::make(int split) const {
  if (nodes_) return std::make_unique<NodeTask>(*nodes_, split);
  return std::make_unique<LinkTask>(dataset_, config_, split);
}

}  // namespace dsnn
