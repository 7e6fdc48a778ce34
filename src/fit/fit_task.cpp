#include "fit/fit_task.h"

#include "fit/candidates.h"
#include "fit/link_candidates.h"
#include "train/link_task.h"
#include "train/node_task.h"
#include "train/training_data.h"

namespace dsnn {
namespace {

class NodeFit final : public FitTask {
 public:
  NodeFit(const Dataset& dataset, const FitOptions& options)
      : dataset_(dataset),
        options_(options),
        preparation_(fit_preparation(dataset, make_candidate(0, options, {}).config)),
        data_(make_training_data(dataset, preparation_)) {}

  FitTrial candidate(std::int64_t number, const std::vector<FitTrial>& best) const override {
    return make_candidate(number, options_, best);
  }
  std::unique_ptr<SplitTask> make(const Config& /*config*/) const override {
    return std::make_unique<NodeTask>(data_, options_.split);
  }
  void write_data(const RunFolder& folder, const SplitTask& /*task*/) const override {
    folder.write_data(dataset_, preparation_, content_checksum(dataset_));
  }

 private:
  const Dataset& dataset_;
  const FitOptions& options_;
  FeaturePreparation preparation_;
  TrainingData data_;
};

class LinkFit final : public FitTask {
 public:
  LinkFit(const Dataset& dataset, const FitOptions& options)
      : dataset_(dataset), options_(options) {}

  FitTrial candidate(std::int64_t number, const std::vector<FitTrial>& /*best*/) const override {
    return make_link_candidate(number, options_);
  }
  std::unique_ptr<SplitTask> make(const Config& config) const override {
    return std::make_unique<LinkTask>(dataset_, config, options_.split);
  }
  void write_data(const RunFolder& folder, const SplitTask& task) const override {
    folder.write_link_data(dataset_);
    folder.write_preparation(options_.split, *task.own_preparation());
  }

 private:
  const Dataset& dataset_;
  const FitOptions& options_;
};

}  // namespace

std::unique_ptr<FitTask> make_fit_task(const Dataset& dataset, const FitOptions& options) {
  if (options.task == TaskKind::kNodes) {
    check_trainable(dataset, {options.split});
    return std::make_unique<NodeFit>(dataset, options);
  }
  check_link_settings(options.settings);
  check_trainable(dataset, make_link_candidate(0, options).config, {options.split});
  return std::make_unique<LinkFit>(dataset, options);
}

}  // namespace dsnn
