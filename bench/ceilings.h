#pragma once

#include "dsnn/graph/directed_graph.h"

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace dsnn::bench {

/// What the machine can do, measured on as many threads as LibTorch uses now.
struct Ceilings {
  double bytes_per_second = 0;  ///< STREAM's triad a = b + s c: three arrays, counted once each
  double flops_per_second = 0;  ///< single-precision matrix product of 2048 x 2048
};

/// `bytes`: of all three arrays of the triad together.
Ceilings measure_ceilings(std::int64_t bytes);

/// Bytes per second of reading every neighbour's rows of x [planes, n, d, f] once, in the order of
/// the half-edges and prefetched, with one addition a number: what is left of the memory's speed
/// when its rows are read at random.
double measure_row_reads(const DirectedGraph& graph, const at::Tensor& x);

}  // namespace dsnn::bench
