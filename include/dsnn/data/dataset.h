#pragma once

#include "dsnn/export.h"
#include "dsnn/graph/directed_graph.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace dsnn {

/// Which nodes train, validate and test: one byte a node, 0 or 1.
struct Split {
  std::vector<std::uint8_t> train, validation, test;
};

/// A directed graph with what is known about its nodes. Everything but the graph may be missing.
struct Dataset {
  std::string name;
  DirectedGraph graph;
  std::vector<float> features;  ///< [n, num_features]
  std::int64_t num_features = 0;
  std::vector<std::int64_t> labels;  ///< [n], classes 0 .. num_classes-1; negative: not known
  std::int64_t num_classes = 0;
  std::vector<Split> splits;
};

/// Reads a graph from an edge-list text file (edge_list.h) or from an `.npz` with `edges` [arcs, 2]
/// and, where present, `edge_weights` [arcs], `node_features` [n, f], `node_labels` [n] and
/// `train_masks`, `val_masks`, `test_masks` [splits, n] (or [n] for a single split), and
/// `num_nodes`
/// []. The kind of file is told by its content, not by its name.
///
/// The number of nodes is `num_nodes` if given, else what the node arrays or the array `num_nodes`
/// say, else the largest node + 1. Throws Error naming file and array for anything that does not
/// fit together, and for a file without arcs that leaves the number of nodes open.
DSNN_API Dataset read_dataset(const std::filesystem::path& path,
                              std::optional<NodeId> num_nodes = std::nullopt);

/// Finds `what` as a file; if there is none and it is a plain name, as `<name>.npz` in `data_dir`
/// (where given), in $DSNN_DATA, then in $XDG_CACHE_HOME/dsnn (default ~/.cache/dsnn). Throws Error
/// that lists the places where it looked.
DSNN_API std::filesystem::path find_dataset(const std::string& what,
                                            const std::filesystem::path& data_dir = {});

/// Writes the dataset as `.npz` in the layout above, without the arrays that it lacks.
DSNN_API void write_dataset(const std::filesystem::path& path, const Dataset& dataset);

}  // namespace dsnn
