#include "data/check_sizes.h"

#include "dsnn/util/error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

namespace dsnn {

std::string size_differences(const DatasetEntry& entry, const Dataset& dataset) {
  std::vector<std::string> differences;
  const auto compare = [&](const char* what, std::int64_t found, std::int64_t expected) {
    if (found == expected) return;
    differences.push_back(fmt::format("{} {}, expected {}", found, what, expected));
  };
  compare("nodes", dataset.graph.num_nodes(), entry.num_nodes);
  compare("arcs", dataset.graph.num_arcs(), entry.num_arcs);
  compare("classes", dataset.num_classes, entry.num_classes);
  compare("features", dataset.features.num_columns, entry.num_features);
  return fmt::format("{}", fmt::join(differences, "; "));
}

std::string file_fault(const DatasetEntry& entry, const std::filesystem::path& path) {
  try {
    const std::string differences = size_differences(entry, read_dataset(path));
    return differences.empty() ? "" : fmt::format("{}: has {}", path.string(), differences);
  } catch (const Cancelled&) {
    throw;
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace dsnn
