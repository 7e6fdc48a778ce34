#pragma once

#include "dsnn/graph/directed_graph.h"

#include "kernels/executor.h"
#include "util/internal_api.h"

#include <cstdint>

namespace dsnn::kernels {

/// The half-edges of a graph [eq:half-edge] as plain arrays, for kernels.
struct HalfEdges {
  std::int64_t num_nodes = 0;
  const HalfEdgeId* row_offsets = nullptr;    // [n + 1]
  const NodeId* neighbours = nullptr;         // [2m]
  const NodeId* reverse_ranks = nullptr;      // [2m]
  const std::int8_t* orientations = nullptr;  // [2m]

  HalfEdges() = default;
  explicit HalfEdges(const DirectedGraph& graph)
      : num_nodes(graph.num_nodes()),
        row_offsets(graph.row_offsets().data()),
        neighbours(graph.neighbours().data()),
        reverse_ranks(graph.reverse_ranks().data()),
        orientations(graph.orientations().data()) {}

  HalfEdgeId count() const { return row_offsets[num_nodes]; }
  HalfEdgeId reverse(HalfEdgeId h) const { return row_offsets[neighbours[h]] + reverse_ranks[h]; }
};

struct NodeRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

/// The nodes divided into blocks of about equal work, measured as half-edges plus a few for the
/// node itself. Depends only on the graph, not on the number of threads, so that sums over blocks
/// always have the same bits.
class DSNN_INTERNAL_API NodeBlocks {
 public:
  explicit NodeBlocks(const HalfEdgeId* row_offsets, std::int64_t num_nodes);
  std::int64_t count() const { return count_; }
  /// Nodes of a block. Every node is in exactly one; the blocks after a hub may be empty.
  NodeRange operator[](std::int64_t block) const { return {lower(block), lower(block + 1)}; }

 private:
  std::int64_t lower(std::int64_t block) const;

  const HalfEdgeId* row_offsets_;
  std::int64_t num_nodes_;
  std::int64_t count_;
};

/// run(rows) for every block of rows, on all threads.
template <class Run>
void for_row_blocks(const Executor& executor, const HalfEdgeId* row_offsets, std::int64_t num_rows,
                    const Run& run) {
  const NodeBlocks blocks(row_offsets, num_rows);
  run_blocks(executor, blocks.count(), [&](BlockQueue& queue) {
    for (std::int64_t block; queue.take(block);) run(blocks[block]);
  });
}

/// The same for the nodes of a graph.
template <class Run>
void for_node_blocks(const Executor& executor, const HalfEdges& graph, const Run& run) {
  for_row_blocks(executor, graph.row_offsets, graph.num_nodes, run);
}

/// Long sums over a row are split into runs of this many entries: rounding errors then grow with
/// the root of the run length and of the number of runs, not of the degree, and the split depends
/// only on the graph.
inline constexpr HalfEdgeId kRun = 256;

}  // namespace dsnn::kernels
