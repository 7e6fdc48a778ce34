#pragma once

#include "dsnn/data/dataset.h"
#include "dsnn/export.h"

#include <filesystem>

namespace dsnn {

/// Whether the folder contains a dataset that the functions below can read.
DSNN_API bool is_geom_gcn_folder(const std::filesystem::path& folder);
DSNN_API bool is_ogb_folder(const std::filesystem::path& folder);

/// Reads a folder of the Geom-GCN repository: `out1_node_feature_label.txt` and
/// `out1_graph_edges.txt`, with one heading line each. A feature row is a comma-separated list of
/// all its values or, if the rows differ in length or contain larger integers, of the indices of
/// the columns that are 1. Splits are the files `*_split_*.npz` in the folder itself, or
/// `<name>_split_*.npz` in a folder `splits` there or up to two levels above, ordered by their last
/// number; `<name>` is the name of the folder, or of its parent if the folder is `raw`.
DSNN_API Dataset read_geom_gcn(const std::filesystem::path& folder);

/// Reads a node-property folder of the Open Graph Benchmark: `raw/edge.csv`, `node-feat.csv`,
/// `node-label.csv`, `num-node-list.csv`, and a split for each folder in `split/` with `train.csv`,
/// `valid.csv` and `test.csv`; all plain or gzipped. Nodes and classes are named by `nodeidx2*.csv`
/// and `labelidx2*.csv` in `mapping/`, if present.
DSNN_API Dataset read_ogb(const std::filesystem::path& folder);

}  // namespace dsnn
