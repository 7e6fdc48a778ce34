#pragma once

#include "dsnn/data/dataset.h"
#include "dsnn/export.h"
#include "dsnn/graph/directed_graph.h"
#include "dsnn/parts/halo.h"

#include <cstdint>
#include <string>
#include <vector>

namespace dsnn {

/// The part of each node, 0 to k - 1. Parts may be empty.
using Partition = std::vector<std::int32_t>;

/// The order in which one process numbers the nodes: as given, or by locality for large graphs.
/// Empty: as given.
DSNN_API std::vector<NodeId> input_order(const DirectedGraph& graph);

/// Blocks of nodes that are consecutive in that order, with about equal numbers of half-edges.
DSNN_API Partition partition_blocks(const DirectedGraph& graph, const std::vector<NodeId>& order,
                                    int num_parts);

/// What a partition costs.
struct PartitionCost {
  std::int64_t cut_edges = 0;
  std::int64_t ghosts = 0;  ///< rows of nodes that are sent in an exchange, over all parts
  double balance = 1;       ///< the most half-edges of a part, compared with the mean
};
DSNN_API PartitionCost cost_of(const DirectedGraph& graph, const Partition& partition,
                               int num_parts);

/// A part of a dataset: its own nodes and their neighbours, all edges of its own nodes, features of
/// all of them; labels and masks of its own.
struct DSNN_API Part {
  PartNodes nodes;
  std::vector<std::int64_t> numbers;  ///< of its nodes in the dataset
  Dataset data;
};
/// Throws Error if the partition does not fit. Time and memory O(size of the part), after O(n).
DSNN_API Part make_part(const Dataset& dataset, const std::vector<NodeId>& order,
                        const Partition& partition, int part);

}  // namespace dsnn
