#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <string>

namespace dsnn::nn {

// What a sheaf network shows of itself (Pass::show), by name. Layers count from 1.

/// What comes out of a layer, [P, n, D, f]; 0: what goes into the first.
inline std::string features_of_layer(std::size_t layer) {
  return layer == 0 ? "the input" : fmt::format("layer {}", layer);
}
/// The maps F that a layer learned, [P, 2m, d, d], or their diagonals, [P, 2m, d, 1]. P = 2: real
/// and imaginary parts. None where it shares those of the layer before.
inline std::string maps_of_layer(std::size_t layer) {
  return fmt::format("the maps of layer {}", layer);
}
/// Its learned edge weights [2m], where it has some.
inline std::string edge_weights_of_layer(std::size_t layer) {
  return fmt::format("the edge weights of layer {}", layer);
}
/// The charge, one number, where there is a phase.
inline constexpr const char* kChargePart = "the charge";

}  // namespace dsnn::nn
