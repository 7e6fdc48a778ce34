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

// What all readers of datasets share.

namespace dsnn {

inline constexpr std::int64_t kMaxNodes = std::numeric_limits<NodeId>::max();

/// Throws Error "PATH: what".
[[noreturn]] void fail(const std::filesystem::path& path, std::string_view what);

/// Throws Error for a file that leaves the number of nodes open.
[[noreturn]] void fail_without_nodes(const std::filesystem::path& path);

/// Throws Error for a folder that is no dataset.
[[noreturn]] void fail_folder(const std::filesystem::path& folder);

/// The number of nodes that a file names, if the arcs make it plausible: one stray number must not
/// ask for gigabytes. Throws Error otherwise.
NodeId plausible_num_nodes(const std::filesystem::path& path, std::int64_t num_nodes,
                           std::size_t num_arcs);

/// The most classes that a file may number or name for so many nodes. Tables are made of all of
/// them, so that one stray number must not ask for gigabytes either. Each node may have a class of
/// its own, and any small graph the classes of a large one.
std::int64_t max_classes(std::int64_t num_nodes);

/// A dataset with the graph alone; the arcs are in range. Its name is that of the file.
Dataset make_dataset(const std::filesystem::path& path, const ArcList& list, NodeId num_nodes);

/// A whole number written as a program writes it, without a plus or leading zeros; nothing for any
/// other text.
std::optional<std::int64_t> parse_plain_integer(std::string_view text);

/// Numbers for texts that occur again and again: 0, 1, ... as they come.
class Categories {
 public:
  /// The number of a text, a new one if it has none.
  std::int32_t code(std::string_view text);
  std::optional<std::int32_t> find(std::string_view text) const;
  std::size_t size() const { return names_.size(); }
  /// By code.
  const std::vector<std::string>& names() const& { return names_; }
  std::vector<std::string> names() && { return std::move(names_); }
  bool are_whole_numbers() const;
  /// Renumbers: ascending as numbers if all are whole numbers, else as text. Returns the new number
  /// of each old one.
  std::vector<std::int32_t> sort();
  /// Whether the names are just 0, 1, ..., so that there is nothing to remember.
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

/// Sorts the columns of each row and adds up entries of the same place.
void sort_rows(Features& features);

/// Says how many features are not finite numbers, if there are any.
void note_features(Dataset& dataset);

}  // namespace dsnn
