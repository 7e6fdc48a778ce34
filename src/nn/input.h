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

  /// The same, but kept only as long as someone holds it: for names with a number that may be any,
  /// of which a search would make more and more.
  template <class T>
  std::shared_ptr<const T> shared_memo(const std::string& name,
                                       const std::function<T()>& make) const {
    const std::lock_guard lock(mutex_);
    std::weak_ptr<const void>& known = shared_memos_[name];
    std::shared_ptr<const T> held = std::static_pointer_cast<const T>(known.lock());
    if (!held) known = held = std::make_shared<const T>(make());
    return held;
  }

 private:
  mutable std::recursive_mutex mutex_;  // what is made may be made of something kept
  mutable std::map<std::string, std::shared_ptr<const void>> memos_;
  mutable std::map<std::string, std::weak_ptr<const void>> shared_memos_;
};

}  // namespace dsnn::nn
