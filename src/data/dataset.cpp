#include "dsnn/data/dataset.h"

#include "dsnn/data/edge_list.h"
#include "dsnn/data/folders.h"
#include "dsnn/data/registry.h"

#include "data/build_dataset.h"
#include "data/dataset_files.h"
#include "data/input_file.h"
#include "data/npz_dataset.h"
#include "util/index.h"

#include <fmt/format.h>

#include <array>
#include <iterator>

namespace dsnn {
namespace {

bool is_archive(const std::filesystem::path& path) {
  // A pipe can be opened and read only once, and is never an archive.
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  if (std::filesystem::is_fifo(status) || std::filesystem::is_character_file(status)) return false;
  InputFile file(path);
  if (!file.is_regular()) return false;
  std::array<char, 4> start{};
  const std::string_view magic(start.data(), file.read(start));
  return magic == "PK\x03\x04" || magic == "PK\x05\x06" || path.extension() == ".npz";
}

Dataset read_text(const std::filesystem::path& path, std::optional<NodeId> num_nodes) {
  const ArcList list = read_edge_list(path);
  if (!num_nodes && list.arcs.empty()) fail_without_nodes(path);
  if (num_nodes && *num_nodes < list.num_nodes) {
    fail(path,
         fmt::format("has node {}, but {} nodes were requested", list.num_nodes - 1, *num_nodes));
  }
  return make_dataset(
      path, list,
      num_nodes ? *num_nodes : plausible_num_nodes(path, list.num_nodes, list.arcs.size()));
}

// A folder itself determines the number of nodes.
Dataset read_folder(const std::filesystem::path& folder, std::optional<NodeId> num_nodes) {
  if (!is_ogb_folder(folder) && !is_geom_gcn_folder(folder)) fail_folder(folder);
  Dataset dataset = is_ogb_folder(folder) ? read_ogb(folder) : read_geom_gcn(folder);
  if (num_nodes && *num_nodes != dataset.graph.num_nodes()) {
    fail(folder,
         fmt::format("has {} nodes, but {} were requested", dataset.graph.num_nodes(), *num_nodes));
  }
  return dataset;
}

}  // namespace

std::string Dataset::node_name(NodeId node) const {
  return node_ids.empty() ? fmt::format("{}", node) : node_ids[at(node)];
}

std::string Dataset::label_name(std::int64_t label) const {
  const bool has_name = label >= 0 && label < std::ssize(label_names);
  return has_name ? label_names[at(label)] : fmt::format("{}", label);
}

std::vector<std::filesystem::path> dataset_files(const std::filesystem::path& path) {
  if (is_ogb_folder(path)) return ogb_files(path);
  return is_geom_gcn_folder(path) ? geom_gcn_files(path) : std::vector{path};
}

Dataset read_dataset(const std::filesystem::path& path, std::optional<NodeId> num_nodes) {
  if (num_nodes && *num_nodes < 0) {
    fail(path, fmt::format("the requested number of nodes is {}, expected 0 or more", *num_nodes));
  }
  std::error_code ignored;
  Dataset dataset = std::filesystem::is_directory(path, ignored) ? read_folder(path, num_nodes)
                    : is_archive(path)                           ? read_npz_dataset(path, num_nodes)
                                                                 : read_text(path, num_nodes);
  // A known dataset is recognised by its name and sizes.
  const DatasetEntry* entry = find_dataset_entry(dataset.name);
  const bool is_known = entry != nullptr && entry->num_nodes == dataset.graph.num_nodes() &&
                        entry->num_features == dataset.features.num_columns;
  if (is_known) {
    dataset.usual_scale = entry->normalise_features ? FeatureScale::kRows : FeatureScale::kNone;
  }
  return dataset;
}

}  // namespace dsnn
