#pragma once

#include "dsnn/data/dataset.h"
#include "dsnn/data/edge_list.h"

#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

// Helpers shared by all dataset readers.

namespace dsnn {

inline constexpr std::int64_t kMaxNodes = std::numeric_limits<NodeId>::max();

/// Throws Error "PATH: what".
[[noreturn]] void fail(const std::filesystem::path& path, std::string_view what);

/// Throws Error for a file that does not determine the number of nodes.
[[noreturn]] void fail_without_nodes(const std::filesystem::path& path);

/// Throws Error for a folder that is not a dataset.
[[noreturn]] void fail_folder(const std::filesystem::path& folder);

/// The number of nodes of a file, if plausible for its number of arcs: a single wrong value must
/// not allocate gigabytes. Throws Error otherwise.
NodeId plausible_num_nodes(const std::filesystem::path& path, std::int64_t num_nodes,
                           std::size_t num_arcs);

/// The most classes that a file may have for this many nodes. Tables are allocated for all classes,
/// so a single wrong value must not allocate gigabytes. Each node may have its own class, and a
/// small graph may have the classes of a large one.
std::int64_t max_classes(std::int64_t num_nodes);

/// A dataset with only a graph; the arcs are in range. It is named after the file.
Dataset make_dataset(const std::filesystem::path& path, const ArcList& list, NodeId num_nodes);

/// An integer as programs write it, without a plus or leading zeros; nothing for any other text.
std::optional<std::int64_t> parse_plain_integer(std::string_view text);

/// Codes for repeated texts: 0, 1, ... in order of first occurrence.
class Categories {
 public:
  /// The code of a text; a new text gets the next code.
  std::int32_t code(std::string_view text);
  std::optional<std::int32_t> find(std::string_view text) const;
  std::size_t size() const { return names_.size(); }
  /// By code.
  const std::vector<std::string>& names() const& { return names_; }
  std::vector<std::string> names() && { return std::move(names_); }
  bool are_whole_numbers() const;
  /// Sorts the codes, numerically if all texts are integers, else as text. Returns the new code of
  /// each old one.
  std::vector<std::int32_t> sort();
  /// Whether the names are just 0, 1, ..., so that they need not be stored.
  bool are_numbers() const;

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };
  std::unordered_map<std::string, std::int32_t, Hash, std::equal_to<>> codes_;
  std::vector<std::string> names_;
};

/// Sets labels, classes and their names. `codes` has a number of `classes` for each node, or a
/// negative one where the label is not known; the classes are sorted.
void set_labels(Dataset& dataset, std::vector<std::int64_t> codes, Categories& classes);

/// Sorts the columns of each row and sums entries at the same position.
void sort_rows(Features& features);

/// Notes how many feature values are not finite, if any.
void note_features(Dataset& dataset);

}  // namespace dsnn
