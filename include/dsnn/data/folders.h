#pragma once

#include "dsnn/data/dataset.h"
#include "dsnn/export.h"

#include <filesystem>

namespace dsnn {

/// Whether the folder holds a dataset as one of the functions below reads it.
DSNN_API bool is_geom_gcn_folder(const std::filesystem::path& folder);
DSNN_API bool is_ogb_folder(const std::filesystem::path& folder);

/// Reads a folder of the Geom-GCN repository: `out1_node_feature_label.txt` and
/// `out1_graph_edges.txt`, with one heading line each. A row of features is a comma-separated list
/// of all its numbers or, where the rows differ in length or hold larger whole numbers, of the
/// columns that are 1. Splits are the files `*_split_*.npz` in the folder itself, or
/// `<name>_split_*.npz` in a folder `splits` there or up to two levels above, by their last number;
/// `<name>` is the folder's name, or that of the folder around it for `raw`.
DSNN_API Dataset read_geom_gcn(const std::filesystem::path& folder);

/// Reads a node-property folder of the Open Graph Benchmark: `raw/edge.csv`, `node-feat.csv`,
/// `node-label.csv`, `num-node-list.csv`, and a split for each folder in `split/` with `train.csv`,
/// `valid.csv` and `test.csv`; all of them plain or gzipped. Where `mapping/` has
/// `nodeidx2*.csv` and `labelidx2*.csv`, nodes and classes get their names.
DSNN_API Dataset read_ogb(const std::filesystem::path& folder);

}  // namespace dsnn
