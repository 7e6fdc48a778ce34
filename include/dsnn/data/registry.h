#pragma once

#include "dsnn/export.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dsnn {

/// A public source file of a dataset.
struct DatasetSource {
  std::string url = {};
  std::string file_name = {};  ///< its name until the dataset is converted
  std::int64_t bytes = 0;      ///< 0: unknown
  std::string sha256 = {};     ///< 64 hexadecimal digits; empty: unknown
};

/// The kind of the public source files of a dataset.
enum class SourceKind {
  kNone,           ///< no public source files
  kGeomGcn,        ///< text files and splits of the Geom-GCN repository
  kHeterophilous,  ///< an .npz of the heterophilous-graphs repository
  kLinqs,          ///< an archive of the LINQS group with a citation graph
};

/// A widely used dataset.
struct DatasetEntry {
  std::string name = {};
  std::string title = {};
  std::string reference = {};
  std::string homepage = {};
  std::int64_t num_nodes = 0;
  std::int64_t num_arcs = 0;  ///< without self-loops and duplicates
  std::int64_t num_classes = 0;
  std::int64_t num_features = 0;
  std::string splits = {};               ///< description of the splits
  bool directions_are_real = true;       ///< else each pair is listed once, in arbitrary order
  bool features_are_normalised = false;  ///< already in the source
  bool normalise_features = true;        ///< the usual protocol divides each row by its sum
  std::vector<std::string> faults = {};  ///< known faults and caveats, one sentence each
  SourceKind source_kind = SourceKind::kNone;
  std::vector<DatasetSource> sources = {};

  bool can_be_fetched() const { return source_kind != SourceKind::kNone; }
};

/// All known datasets: first the nine of the paper, in its order, then their variants, then others.
DSNN_API std::span<const DatasetEntry> dataset_registry();

/// The entry with this name, or a null pointer.
DSNN_API const DatasetEntry* find_dataset_entry(std::string_view name);

}  // namespace dsnn
