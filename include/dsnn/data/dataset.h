#pragma once

#include "dsnn/data/features.h"
#include "dsnn/data/link_split.h"
#include "dsnn/export.h"
#include "dsnn/graph/directed_graph.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace dsnn {

/// Masks of training, validation and test nodes: one byte per node, 0 or 1.
struct Split {
  std::vector<std::uint8_t> train, validation, test;
};

/// A directed graph with data about its nodes. Everything except the graph may be missing.
struct DSNN_API Dataset {
  std::string name;
  DirectedGraph graph;
  Features features;
  std::vector<std::int64_t> labels;  ///< [n], classes 0 .. num_classes-1; negative: unknown
  std::int64_t num_classes = 0;
  std::vector<Split> splits;
  std::vector<LinkSplit> link_splits;  ///< of the arcs; empty: none are given
  /// The meaning of FeatureScale::kAuto for this dataset: the published treatment of known datasets
  /// (kRows or kNone); kAuto: decided by column.
  FeatureScale usual_scale = FeatureScale::kAuto;

  // The user's names. Empty: nodes, classes and features are named by their numbers.
  std::vector<std::string> node_ids;       ///< [n]
  std::vector<std::string> label_names;    ///< [num_classes]
  std::vector<std::string> feature_names;  ///< [features.num_columns]

  /// Remarks of the reader for the user, one sentence each: oddities and automatic decisions.
  std::vector<std::string> notes;

  /// The user's name of a node or class, else its number; also for unknown labels.
  std::string node_name(NodeId node) const;
  std::string label_name(std::int64_t label) const;
};

/// Reads a graph from an edge-list text file (edge_list.h; may be gzipped), from an `.npz` file
/// (arrays: docs/files.md), or from a folder in the format of Geom-GCN or OGB (folders.h). The
/// format is detected by content, not by name.
///
/// The number of nodes is `num_nodes` if given, else the length of the node arrays or the array
/// `num_nodes`, else the largest node + 1. Throws Error naming file and array if the data are
/// inconsistent, or if a file without arcs does not give the number of nodes.
DSNN_API Dataset read_dataset(const std::filesystem::path& path,
                              std::optional<NodeId> num_nodes = std::nullopt);

/// The folder of fetched datasets: $XDG_CACHE_HOME/dsnn, or ~/.cache/dsnn; empty if neither is
/// defined.
DSNN_API std::filesystem::path cache_folder();

/// Finds `what` as a file or a dataset folder; if neither exists and it is a plain name, as
/// `<name>.npz` in `data_dir` (if given), in $DSNN_DATA, then in cache_folder(). Throws Error that
/// lists the searched places.
DSNN_API std::filesystem::path find_dataset(const std::string& what,
                                            const std::filesystem::path& data_dir = {});

/// Writes the dataset as `.npz` in the layout of docs/files.md; missing data are omitted. Sparse
/// features are written in compressed rows, as in SciPy.
DSNN_API void write_dataset(const std::filesystem::path& path, const Dataset& dataset);

}  // namespace dsnn
