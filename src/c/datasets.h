#pragma once

#include "dsnn/data/dataset.h"

#include "c/handles.h"

#include <functional>
#include <memory>
#include <mutex>

namespace dsnn::c {

/// A dataset that callers change and use at the same time. A change copies it if it is in use.
class SharedDataset {
 public:
  explicit SharedDataset(Dataset dataset)
      : dataset_(std::make_shared<Dataset>(std::move(dataset))) {}

  std::shared_ptr<const Dataset> get() const {
    const std::lock_guard lock(mutex_);
    return dataset_;
  }
  void change(const std::function<void(Dataset&)>& change) {
    const std::lock_guard lock(mutex_);
    if (dataset_.use_count() > 1) dataset_ = std::make_shared<Dataset>(*dataset_);
    change(*dataset_);
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<Dataset> dataset_;
};

using DatasetHandles = Handles<dsnn_dataset, SharedDataset>;
DatasetHandles& datasets();

/// The current state of a handle's dataset.
std::shared_ptr<const Dataset> dataset_of(dsnn_dataset* dataset);

}  // namespace dsnn::c
