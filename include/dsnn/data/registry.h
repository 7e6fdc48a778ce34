#pragma once

#include "dsnn/export.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dsnn {

/// A public file that a dataset is made from.
struct DatasetSource {
  std::string url = {};
  std::string file_name = {};  ///< under which it is kept until the dataset is made
  std::int64_t bytes = 0;      ///< 0: not known
  std::string sha256 = {};     ///< 64 hexadecimal digits; empty: not known
};

/// What the public originals of a dataset are.
enum class SourceKind {
  kNone,           ///< there are none that could be fetched
  kGeomGcn,        ///< text files and splits of the Geom-GCN repository
  kHeterophilous,  ///< an .npz of the heterophilous-graphs repository
  kLinqs,          ///< an archive of the LINQS group with a citation graph
};

/// What is known about a dataset that many papers use.
struct DatasetEntry {
  std::string name = {};
  std::string title = {};
  std::string reference = {};
  std::string homepage = {};
  std::int64_t num_nodes = 0;
  std::int64_t num_arcs = 0;  ///< without self-loops and duplicates
  std::int64_t num_classes = 0;
  std::int64_t num_features = 0;
  std::string splits = {};          ///< which they are, in words
  bool directions_are_real = true;  ///< else each pair is listed once, in an order of no meaning
  bool features_are_normalised = false;  ///< already in the source
  bool normalise_features = true;        ///< the usual protocol divides each row by its sum
  std::vector<std::string> faults = {};  ///< what one has to know before using it, a sentence each
  SourceKind source_kind = SourceKind::kNone;
  std::vector<DatasetSource> sources = {};

  bool can_be_fetched() const { return source_kind != SourceKind::kNone; }
};

/// All of them; a paper's nine datasets first, in its order, then their variants, then others.
DSNN_API std::span<const DatasetEntry> dataset_registry();

/// The entry of that name; a null pointer if there is none.
DSNN_API const DatasetEntry* find_dataset_entry(std::string_view name);

}  // namespace dsnn
