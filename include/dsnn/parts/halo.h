#pragma once

#include "dsnn/engine/operator.h"
#include "dsnn/export.h"
#include "dsnn/graph/directed_graph.h"
#include "dsnn/parts/ranks.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace dsnn {

/// The nodes of a part of a graph: those that it owns, and as *ghosts* their neighbours in other
/// parts. They are in the order of the whole graph, so that everything that depends on the order of
/// nodes is the same there and here.
struct PartNodes {
  std::int64_t num_all = 0;          ///< nodes of the whole graph
  std::vector<std::int64_t> places;  ///< of each node, ascending: its number in the whole graph
  /// The part that owns each node; -1 for the only node of a part that has none, which keeps its
  /// arrays from being empty.
  std::vector<std::int32_t> owners;
};

/// The exchange of rows between a part and its neighbours. The pattern is the same for rows of any
/// width; rows are packed in the order of their places, on both sides.
class DSNN_API Halo {
 public:
  /// The graph of a part: its nodes, and all edges with at least one end that it owns. The ranks
  /// must outlive it; each has the part of its number.
  Halo(PartNodes nodes, const DirectedGraph& graph, Ranks& ranks);

  Ranks& ranks() const { return ranks_; }
  const PartNodes& nodes() const { return nodes_; }
  std::int64_t num_nodes() const { return static_cast<std::int64_t>(nodes_.places.size()); }
  bool owns(std::int64_t node) const {
    return nodes_.owners[static_cast<std::size_t>(node)] == ranks_.rank();
  }
  /// All rows of the part. The kind is kNodes or kHalfEdges, here and below.
  std::int64_t num_rows(engine::RowKind kind) const { return lists(kind).num_rows; }
  /// Rows of ghosts, or half-edges that they own.
  std::int64_t num_ghost_rows(engine::RowKind kind) const;
  /// Rows that others have as ghosts, counted once for each.
  std::int64_t num_sent_rows(engine::RowKind kind) const;

  /// Replaces the rows of ghosts by those of their owners. x: [planes, rows, width].
  template <class T>
  void fetch(engine::RowKind kind, std::int64_t planes, std::int64_t width, T* x) const;
  /// Adds the rows of ghosts to those of their owners, in the order of the ranks, and sets them to
  /// 0: the gradient of fetch().
  template <class T>
  void give_back(engine::RowKind kind, std::int64_t planes, std::int64_t width, T* x) const;

  /// fetch() of one number a node.
  void complete(std::span<double> of_nodes) const {
    fetch(engine::RowKind::kNodes, 1, 1, of_nodes.data());
  }
  /// With `counts` of each node, known for owned ones: the sum over all nodes of the whole graph
  /// before it, for every node of the part. Collective.
  std::vector<std::int64_t> offsets(std::span<const std::int64_t> counts) const;

 private:
  /// Rows by rank.
  struct Lists {
    std::vector<std::vector<std::int64_t>> own, ghosts;
    std::int64_t num_rows = 0;
  };
  const Lists& lists(engine::RowKind kind) const {
    return kind == engine::RowKind::kNodes ? node_lists_ : half_edge_lists_;
  }
  template <class T>
  void pack(const std::vector<std::vector<std::int64_t>>& rows, const Lists& lists,
            std::int64_t planes, std::int64_t width, const T* x) const;

  PartNodes nodes_;
  Ranks& ranks_;
  Lists node_lists_, half_edge_lists_;
  mutable std::vector<std::vector<std::byte>> outgoing_, incoming_;  // reused
};

}  // namespace dsnn
