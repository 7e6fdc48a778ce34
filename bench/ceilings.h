#pragma once

#include "dsnn/engine/device.h"
#include "dsnn/graph/directed_graph.h"

#include <cstdint>
#include <span>

namespace dsnn::bench {

/// Limits of the machine, with the current number of threads of the device.
struct Ceilings {
  double bytes_per_second = 0;  ///< STREAM's triad a = b + s c: three arrays, counted once each
  /// Single-precision matrix product of 2048 x 2048: LibTorch's if it is installed, else that of
  /// the library.
  double flops_per_second = 0;
};

/// `bytes`: of all three arrays of the triad together.
Ceilings measure_ceilings(const engine::Device& device, std::int64_t bytes);

/// Bytes per second of reading every neighbour's rows of x [planes, n, row] once, in the order of
/// the half-edges and prefetched, with one addition per element: the memory bandwidth for random
/// rows.
double measure_row_reads(const engine::Device& device, const DirectedGraph& graph,
                         std::span<const float> x, std::int64_t planes);

}  // namespace dsnn::bench
