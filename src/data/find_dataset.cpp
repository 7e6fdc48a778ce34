#include "dsnn/data/dataset.h"
#include "dsnn/data/folders.h"
#include "dsnn/data/registry.h"
#include "dsnn/util/error.h"

#include "data/build_dataset.h"
#include "util/suggest.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <string_view>
#include <utility>

namespace dsnn {
namespace {

// A folder may well have the name of a dataset; it is one if it holds what it takes.
bool is_dataset_folder(const std::filesystem::path& path) {
  return is_geom_gcn_folder(path) || is_ogb_folder(path);
}

bool is_file(const std::filesystem::path& path) {
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  return std::filesystem::exists(status) && !std::filesystem::is_directory(status);
}

// Nothing also for a variable that is set to nothing.
std::filesystem::path path_from_environment(const char* variable) {
  const char* value = std::getenv(variable);
  return value == nullptr ? "" : value;
}

void add_names_in(const std::filesystem::path& folder, std::vector<std::string>& names) {
  std::error_code ignored;
  for (const auto& file : std::filesystem::directory_iterator(folder, ignored)) {
    if (file.path().extension() == ".npz") names.push_back(file.path().stem().string());
  }
}

/// What a message adds on a name under which nothing was found.
std::string advice(const std::string& name, std::vector<std::string> names) {
  if (const DatasetEntry* entry = find_dataset_entry(name)) {
    return entry->can_be_fetched() ? fmt::format("; 'dsnn datasets fetch {}' downloads it", name)
                                   : "";
  }
  for (const DatasetEntry& entry : dataset_registry()) names.push_back(entry.name);
  return did_you_mean(name, names);
}

}  // namespace

std::filesystem::path cache_folder() {
  const std::filesystem::path cache = path_from_environment("XDG_CACHE_HOME");
  if (!cache.empty()) return cache / "dsnn";
  const std::filesystem::path home = path_from_environment("HOME");
  return home.empty() ? home : home / ".cache" / "dsnn";
}

std::filesystem::path find_dataset(const std::string& what, const std::filesystem::path& data_dir) {
  if (what.empty()) throw Error("dataset: empty name, expected a file or the name of a dataset");
  if (is_file(what) || is_dataset_folder(what)) return what;
  std::error_code ignored;
  const bool is_plain_name = what.find('/') == std::string::npos;
  if (!is_plain_name && std::filesystem::is_directory(what, ignored)) {
    fail_folder(what);
  }

  std::vector<std::string> looked = {what}, names;
  const std::string file_name = what.ends_with(".npz") ? what : what + ".npz";
  for (const auto& folder : {data_dir, path_from_environment("DSNN_DATA"), cache_folder()}) {
    if (!is_plain_name || folder.empty()) continue;
    if (is_file(folder / file_name)) return folder / file_name;
    looked.push_back((folder / file_name).string());
    add_names_in(folder, names);
  }
  throw Error(fmt::format(
      "{}: no such file or dataset (looked for {}){}", what, fmt::join(looked, ", "),
      is_plain_name ? advice(file_name.substr(0, file_name.size() - 4), std::move(names)) : ""));
}

}  // namespace dsnn
