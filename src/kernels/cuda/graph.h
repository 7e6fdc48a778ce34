// Graphs and sparse matrices in the memory of a GPU.
#pragma once

#include "kernels/cuda/row_sums.h"
#include "kernels/half_edges.h"
#include "kernels/sparse.h"

namespace dsnn::kernels::cuda {

template <class T>
const T* mirror(const Gpu& gpu, const T* host, std::int64_t count) {
  if (host == nullptr) return nullptr;
  return static_cast<const T*>(gpu.mirror(host, static_cast<std::size_t>(count) * sizeof(T)));
}

/// The row of each entry; `offsets` on the host, `on_gpu` its mirror.
inline const std::int32_t* rows_of_entries(const Gpu& gpu, std::int64_t num_rows,
                                           const std::int64_t* offsets,
                                           const std::int64_t* on_gpu) {
  const auto bytes = static_cast<std::size_t>(offsets[num_rows]) * sizeof(std::int32_t);
  return static_cast<const std::int32_t*>(gpu.derived(offsets, 1, bytes, [&](void* memory) {
    auto* rows = static_cast<std::int32_t*>(memory);
    for_warps(gpu, num_rows, [=] DSNN_GPU(std::int64_t row, int lane) {
      for (std::int64_t e = on_gpu[row] + lane; e < on_gpu[row + 1]; e += kWarp) {
        rows[e] = static_cast<std::int32_t>(row);
      }
    });
  }));
}

/// The reverse of each half-edge; null where their numbers do not fit.
inline const std::uint32_t* reverses(const Gpu& gpu, const HalfEdges& graph,
                                     const HalfEdgeId* row_offsets, const NodeId* neighbours,
                                     const NodeId* reverse_ranks) {
  const std::int64_t count = graph.count();
  if (count >> 32 != 0) return nullptr;
  const auto bytes = static_cast<std::size_t>(count) * sizeof(std::uint32_t);
  return static_cast<const std::uint32_t*>(
      gpu.derived(graph.reverse_ranks, 4, bytes, [&](void* memory) {
        auto* to = static_cast<std::uint32_t*>(memory);
        for_each(gpu, count, [=] DSNN_GPU(std::int64_t h) {
          to[h] = static_cast<std::uint32_t>(row_offsets[neighbours[h]] + reverse_ranks[h]);
        });
      }));
}

/// HalfEdges on the GPU, with the node and the reverse of each.
struct GpuGraph {
  std::int64_t num_nodes, count;
  const HalfEdgeId* row_offsets;
  const NodeId* neighbours;
  const NodeId* reverse_ranks;
  const std::int8_t* orientations;
  const std::int32_t* nodes;
  const std::uint32_t* reverse_half_edges;
  Pieces pieces;  // of the nodes

  GpuGraph(const Gpu& gpu, const HalfEdges& graph)
      : num_nodes(graph.num_nodes),
        count(graph.count()),
        row_offsets(mirror(gpu, graph.row_offsets, graph.num_nodes + 1)),
        neighbours(mirror(gpu, graph.neighbours, count)),
        reverse_ranks(mirror(gpu, graph.reverse_ranks, count)),
        orientations(mirror(gpu, graph.orientations, count)),
        nodes(rows_of_entries(gpu, num_nodes, graph.row_offsets, row_offsets)),
        reverse_half_edges(reverses(gpu, graph, row_offsets, neighbours, reverse_ranks)),
        pieces(gpu, num_nodes, graph.row_offsets, row_offsets) {}

  DSNN_GPU_INLINE HalfEdgeId reverse(HalfEdgeId h) const {
    if (reverse_half_edges != nullptr) return reverse_half_edges[h];
    return row_offsets[neighbours[h]] + reverse_ranks[h];
  }
};

/// SparseRows on the GPU, with the row of each entry.
struct GpuRows {
  std::int64_t num_rows, count;
  const std::int64_t* offsets;
  const std::int32_t* cols;
  const std::int64_t* positions;
  const std::int32_t* rows;
  Pieces pieces;

  GpuRows(const Gpu& gpu, const SparseRows& matrix)
      : num_rows(matrix.num_rows),
        count(matrix.offsets[matrix.num_rows]),
        offsets(mirror(gpu, matrix.offsets, matrix.num_rows + 1)),
        cols(mirror(gpu, matrix.cols, count)),
        positions(mirror(gpu, matrix.positions, count)),
        rows(rows_of_entries(gpu, num_rows, matrix.offsets, offsets)),
        pieces(gpu, num_rows, matrix.offsets, offsets) {}

  DSNN_GPU_INLINE std::int64_t position(std::int64_t e) const {
    return positions == nullptr ? e : positions[e];
  }
};

/// The sum of term(e) for begin <= e < end, in runs: rounding errors grow with the root of the run
/// length and of the number of runs, not with the number of terms.
template <class T, class Term>
DSNN_GPU_INLINE T sum_runs(std::int64_t begin, std::int64_t end, const Term& term) {
  T total = 0;
  while (begin < end) {
    const std::int64_t stop = begin + kRun < end ? begin + kRun : end;
    T run = 0;
#pragma unroll 4
    for (; begin < stop; ++begin) run += term(begin);
    total += run;
  }
  return total;
}

}  // namespace dsnn::kernels::cuda
