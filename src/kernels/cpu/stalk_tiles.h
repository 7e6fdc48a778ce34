#pragma once

#include "kernels/stalk_update.h"

#include <algorithm>
#include <cstdint>

namespace dsnn::kernels {

/// A plane cut into tiles of a few nodes, and those into blocks of a few tiles. Tiles, because a
/// stalk may be shorter than a vector: what is said once for each stalk dimension and channel is
/// laid out for a tile, and vectors run across the nodes in it. Depends on the shape alone.
struct StalkTiles {
  std::int64_t plane_size;
  std::int64_t tile_size;
  std::int64_t block_size;

  explicit StalkTiles(const StalkShape& shape) : plane_size(shape.plane_size()) {
    constexpr std::int64_t kTile = 512;     // two rows of scratch stay in the first-level cache
    constexpr std::int64_t kBlock = 16384;  // and a lane of a block adds few numbers
    const std::int64_t node_size = shape.node_size();
    tile_size = node_size * std::max<std::int64_t>(kTile / std::max<std::int64_t>(node_size, 1), 1);
    block_size =
        tile_size * std::max<std::int64_t>(kBlock / std::max<std::int64_t>(tile_size, 1), 1);
  }
  std::int64_t num_blocks() const {
    return block_size == 0 ? 0 : (plane_size + block_size - 1) / block_size;
  }
};

template <class T>
struct StalkGradients {
  const T* grad;
  T* grad_x;
  T* grad_y;
};

}  // namespace dsnn::kernels
