#pragma once

#include <cstdint>

namespace dsnn::kernels {

/// What one plane of stalk_linear is made of.
template <class T>
struct StalkPlane {
  std::int64_t stalk_dim, channels;
  const T* left;              // [d, d] or null
  const T* right;             // [f, f] or null
  const T* right_transposed;  // the same turned, for gradients

  std::int64_t node_size() const { return stalk_dim * channels; }
};

}  // namespace dsnn::kernels
