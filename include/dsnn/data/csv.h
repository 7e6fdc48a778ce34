#pragma once

#include "dsnn/data/dataset.h"
#include "dsnn/export.h"

#include <filesystem>
#include <string>
#include <vector>

namespace dsnn {

/// Whether the first line of a CSV file has column names.
enum class Heading { kDetect, kPresent, kAbsent };

/// How to treat an edge to a node that the node file does not list.
enum class UnknownNodes {
  kRefuse,  ///< an Error with file and line
  kAdd,     ///< the node is added, without a label
  kDrop,    ///< the edge is dropped
};

/// Two CSV files and the meaning of their columns. A column is given by its heading or by its
/// number, counted from 1; a column that is not given is detected by common headings.
struct CsvOptions {
  std::filesystem::path edges;
  std::filesystem::path nodes;  ///< if empty, the nodes are those of the edges

  std::string source_column, target_column;  ///< else source, src, from, ...; else columns 1 and 2
  std::string weight_column;                 ///< else `weight`; else edges have no weights
  /// Each has train, val and test: splits of the arcs (Dataset::link_splits). Else there are none.
  std::vector<std::string> edge_split_columns;

  std::string id_column;                         ///< else id, node, ...; else the first
  std::string label_column;                      ///< else label, class, y, ...; else none
  std::vector<std::string> split_columns;        ///< else `split`; each has train, val and test
  std::vector<std::string> drop_columns;         ///< columns to ignore
  std::vector<std::string> categorical_columns;  ///< numbers that are categories, such as postcodes

  /// A label that means "unknown", besides an empty field, NA, NaN, null and ?.
  std::string missing_label;
  UnknownNodes unknown_nodes = UnknownNodes::kRefuse;
  Heading heading = Heading::kDetect;
};

/// Reads a graph from CSV: separated by commas, semicolons or tabs (edges also by blanks), with or
/// without quotes, with or without a heading, plain or gzipped.
///
/// Every other column of nodes is a feature. A numeric column becomes one feature; a column that
/// contains text, or is listed in categorical_columns, becomes one 0/1 feature per value. Missing
/// numbers are replaced by the mean of their column. Features are sparse if less than half of them
/// are non-zero. Without a node file, nodes are numbered by their ids if all ids are integers, else
/// in order of appearance.
///
/// The notes of the dataset describe how the files were read. Throws Error with file and line.
DSNN_API Dataset read_csv_dataset(const CsvOptions& options);

/// Reads pairs of nodes of a dataset from CSV: source and target, by their ids, in the columns with
/// such headings or in the first two. Throws Error with file and line for an unknown node.
DSNN_API std::vector<Arc> read_pairs(const std::filesystem::path& path, const Dataset& dataset);

}  // namespace dsnn
