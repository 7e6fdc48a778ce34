// Published datasets from their original files, which the caller has downloaded.
#include "dsnn/data/folders.h"
#include "dsnn/data/registry.h"

#include "c/datasets.h"
#include "c/progress.h"
#include "data/check_sizes.h"
#include "data/linqs.h"

#include <fmt/format.h>

#include <fstream>
#include <iterator>

namespace dsnn::c {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error(fmt::format("{}: cannot be read", path.string()));
  return {std::istreambuf_iterator<char>(file), {}};
}

Dataset read_originals(const DatasetEntry& entry, const fs::path& folder) {
  switch (entry.source_kind) {
    case SourceKind::kGeomGcn:
      return read_geom_gcn(folder);
    case SourceKind::kHeterophilous:
      return read_dataset(folder / entry.sources.at(0).file_name);
    case SourceKind::kLinqs: {
      std::map<std::string, std::string> files;
      for (const std::string& name : linqs_files(entry.name)) files[name] = text_of(folder / name);
      return read_linqs(files, folder.string(), entry.name);
    }
    case SourceKind::kNone:
      break;
  }
  throw Error(fmt::format("{}: has no public original", entry.name));
}

Dataset checked_originals(const char* name, const fs::path& folder) {
  const DatasetEntry* entry = find_dataset_entry(name);
  if (entry == nullptr) throw Error(fmt::format("unknown dataset '{}'", name));
  Dataset dataset = read_originals(*entry, folder);
  const std::string differences = size_differences(*entry, dataset);
  if (!differences.empty()) {
    throw Error(fmt::format("{}: the originals have {}", name, differences));
  }
  if (!entry->directions_are_real) {
    dataset.notes.emplace_back(
        "the graph is undirected: each pair is listed once, and the directions of the arcs are "
        "arbitrary");
  }
  return dataset;
}

}  // namespace
}  // namespace dsnn::c

using namespace dsnn::c;

extern "C" dsnn_status dsnn_dataset_from_originals(const char* name, const char* folder,
                                                   dsnn_progress callback, void* user_data,
                                                   dsnn_dataset** dataset) {
  return guarded([&] {
    require(name, "name");
    require(folder, "folder");
    require(dataset, "dataset");
    const Progress progress(callback, user_data);
    *dataset = datasets().add(std::make_shared<SharedDataset>(checked_originals(name, folder)));
  });
}
