#pragma once

#include "dsnn/nn/model.h"
#include "dsnn/ops/sparse.h"

#include <ATen/core/Tensor.h>

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace dsnn::nn {

struct Input::Data {
  // One of the two is there.
  std::optional<ops::SparseMatrix> sparse;
  at::Tensor dense;  ///< [n, features]

  /// Something that a model makes of the graph: made once, under a name, and kept for all later
  /// passes. Passes of several threads may ask at the same time.
  template <class T>
  const T& memo(const std::string& name, const std::function<T()>& make) const {
    const std::lock_guard lock(mutex_);
    std::shared_ptr<const void>& kept = memos_[name];
    if (!kept) kept = std::make_shared<const T>(make());
    return *static_cast<const T*>(kept.get());
  }

 private:
  mutable std::recursive_mutex mutex_;  // what is made may be made of something kept
  mutable std::map<std::string, std::shared_ptr<const void>> memos_;
};

}  // namespace dsnn::nn
