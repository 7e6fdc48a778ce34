#pragma once

#include "dsnn/data/features.h"
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
struct DSNN_API Dataset {
  std::string name;
  DirectedGraph graph;
  Features features;
  std::vector<std::int64_t> labels;  ///< [n], classes 0 .. num_classes-1; negative: not known
  std::int64_t num_classes = 0;
  std::vector<Split> splits;
  /// What FeatureScale::kAuto means here: for known datasets, as they are read, the published
  /// treatment (kRows or kNone); kAuto: the columns decide.
  FeatureScale usual_scale = FeatureScale::kAuto;

  // What the user calls things. Empty: nodes, classes and features are called by their numbers.
  std::vector<std::string> node_ids;       ///< [n]
  std::vector<std::string> label_names;    ///< [num_classes]
  std::vector<std::string> feature_names;  ///< [features.num_columns]

  /// What a reader found odd or decided by itself, a sentence each, for the user to see.
  std::vector<std::string> notes;

  /// The user's name of a node or class: its id, else its number, also of a label that is not
  /// known.
  std::string node_name(NodeId node) const;
  std::string label_name(std::int64_t label) const;
};

/// Reads a graph from an edge-list text file (edge_list.h; also gzipped), from an `.npz`
/// (docs/files.md has the arrays), or from a folder as Geom-GCN and OGB have them (folders.h). The
/// kind of file is told by its content, not by its name.
///
/// The number of nodes is `num_nodes` if given, else what the node arrays or the array `num_nodes`
/// say, else the largest node + 1. Throws Error naming file and array for anything that does not
/// fit together, and for a file without arcs that leaves the number of nodes open.
DSNN_API Dataset read_dataset(const std::filesystem::path& path,
                              std::optional<NodeId> num_nodes = std::nullopt);

/// Where datasets are kept that were fetched by name: $XDG_CACHE_HOME/dsnn, or ~/.cache/dsnn; empty
/// if neither can be told.
DSNN_API std::filesystem::path cache_folder();

/// Finds `what` as a file or a folder with a dataset; if there is none and it is a plain name, as
/// `<name>.npz` in `data_dir` (where given), in $DSNN_DATA, then in cache_folder(). Throws Error
/// that lists the places where it looked.
DSNN_API std::filesystem::path find_dataset(const std::string& what,
                                            const std::filesystem::path& data_dir = {});

/// Writes the dataset as `.npz` in the layout of docs/files.md, without the arrays that it lacks.
/// Sparse features are written as they are in memory, and as SciPy has them.
DSNN_API void write_dataset(const std::filesystem::path& path, const Dataset& dataset);

}  // namespace dsnn
