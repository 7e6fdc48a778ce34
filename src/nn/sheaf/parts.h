#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <string>

namespace dsnn::nn {

// The names of the parts of a sheaf network (Pass::show). Layers are counted from 1.

/// The output of a layer, [P, n, D, f]; 0: the input of the first layer.
inline std::string features_of_layer(std::size_t layer) {
  return layer == 0 ? "the input" : fmt::format("layer {}", layer);
}
/// The maps F that a layer learned, [P, 2m, d, d], or their diagonals, [P, 2m, d, 1]. P = 2: real
/// and imaginary parts. Absent if the layer shares the maps of the previous layer.
inline std::string maps_of_layer(std::size_t layer) {
  return fmt::format("the maps of layer {}", layer);
}
/// Its learned edge weights [2m], if any.
inline std::string edge_weights_of_layer(std::size_t layer) {
  return fmt::format("the edge weights of layer {}", layer);
}
/// The charge, a single value, if the model has a phase.
inline constexpr const char* kChargePart = "the charge";

}  // namespace dsnn::nn
