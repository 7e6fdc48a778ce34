#pragma once

#include "dsnn/data/dataset.h"
#include "dsnn/export.h"

#include <filesystem>
#include <string>
#include <vector>

namespace dsnn {

/// Whether the first line of a CSV file has the names of its columns.
enum class Heading { kDetect, kPresent, kAbsent };

/// What becomes of an edge to a node that the file of nodes lacks.
enum class UnknownNodes {
  kRefuse,  ///< an Error with file and line
  kAdd,     ///< the node is added, without a label
  kDrop,    ///< the edge is left out
};

/// Two CSV files, and what their columns are. A column is named by its heading or by its number
/// from 1; one that is not given is found by the names people use for it.
struct CsvOptions {
  std::filesystem::path edges;
  std::filesystem::path nodes;  ///< may be empty: then the nodes are those of the edges

  std::string source_column, target_column;  ///< else source, src, from, ...; else columns 1 and 2
  std::string weight_column;                 ///< else `weight`; without one edges have no weights

  std::string id_column;                         ///< else id, node, ...; else the first
  std::string label_column;                      ///< else label, class, y, ...; there may be none
  std::vector<std::string> split_columns;        ///< else `split`; each has train, val and test
  std::vector<std::string> drop_columns;         ///< neither features nor anything else
  std::vector<std::string> categorical_columns;  ///< numbers that are names, such as postcodes

  /// A label that means that the label is not known, beside an empty field, NA, NaN, null and ?.
  std::string missing_label;
  UnknownNodes unknown_nodes = UnknownNodes::kRefuse;
  Heading heading = Heading::kDetect;
};

/// Reads a graph from CSV: separated by commas, semicolons or tabs (edges also by blanks), fields
/// perhaps in quotes, with or without a heading, plain or gzipped.
///
/// Every column of nodes that is nothing else is a feature: one number, or for a column with any
/// text in it (or named in categorical_columns) one feature for each of its values, 1 where it
/// holds. Missing numbers become the mean of their column. Features are sparse if less than half of
/// them are not 0. Without a file of nodes these are numbered by their ids if all are whole
/// numbers, else as they come.
///
/// The notes of the dataset say what was understood. Throws Error with file and line.
DSNN_API Dataset read_csv_dataset(const CsvOptions& options);

}  // namespace dsnn
