#include "dsnn/data/dataset.h"
#include "dsnn/data/registry.h"
#include "dsnn/util/error.h"
#ifdef DSNN_HAS_FETCH
#include "dsnn/fetch/fetch.h"
#endif

#include "cli/arguments.h"
#include "cli/command.h"
#include "data/check_sizes.h"
#include "util/json_text.h"
#include "util/suggest.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <memory>

namespace dsnn::cli {
namespace {

using Json = nlohmann::ordered_json;

#ifdef DSNN_HAS_FETCH
constexpr bool kHasFetch = true;
#else
constexpr bool kHasFetch = false;
#endif

const DatasetEntry& entry_of(const std::string& name) {
  if (const DatasetEntry* entry = find_dataset_entry(name)) return *entry;
  std::vector<std::string> names;
  for (const DatasetEntry& entry : dataset_registry()) names.push_back(entry.name);
  const std::string suggestion = did_you_mean(name, names);
  throw Error(fmt::format("unknown dataset '{}'{}", name,
                          suggestion.empty() ? "; 'dsnn datasets list' shows them" : suggestion));
}

/// The file from which the dataset would be read; empty if there is none.
std::string place_of(const DatasetEntry& entry, const std::string& data_dir) {
  try {
    // With the extension: a file of the bare name in the current folder is something else.
    return find_dataset(entry.name + ".npz", data_dir).string();
  } catch (const Error&) {
    return "";
  }
}

// --- list ---

struct ListArguments {
  std::string data_dir;
  bool json = false;
};

int list(const ListArguments& arguments) {
  Json rows = Json::array();
  for (const DatasetEntry& entry : dataset_registry()) {
    const std::string place = place_of(entry, arguments.data_dir);
    rows.push_back({{"name", entry.name},
                    {"nodes", entry.num_nodes},
                    {"arcs", entry.num_arcs},
                    {"classes", entry.num_classes},
                    {"features", entry.num_features},
                    {"directed", entry.directions_are_real},
                    {"can_be_fetched", kHasFetch && entry.can_be_fetched()},
                    {"path", place.empty() ? Json() : Json(place)}});
  }
  if (arguments.json) {
    print_json(rows);
    return 0;
  }
  fmt::print("{:<28} {:>6} {:>7} {:>7} {:>8}  {:<8}  {}\n", "name", "nodes", "arcs", "classes",
             "features", "directed", "where");
  for (const Json& row : rows) {
    fmt::print("{:<28} {:>6} {:>7} {:>7} {:>8}  {:<8}  {}\n", row["name"].get<std::string>(),
               row["nodes"].get<std::int64_t>(), row["arcs"].get<std::int64_t>(),
               row["classes"].get<std::int64_t>(), row["features"].get<std::int64_t>(),
               row["directed"].get<bool>() ? "yes" : "no",
               row["path"].is_string()             ? row["path"].get<std::string>()
               : row["can_be_fetched"].get<bool>() ? "fetch"
                                                   : "-");
  }
  return 0;
}

// --- info ---

struct InfoArguments {
  std::string name;
  std::string data_dir;
  bool json = false;
};

Json source_json(const DatasetSource& source) {
  return {{"url", source.url},
          {"file", source.file_name},
          {"bytes", source.bytes > 0 ? Json(source.bytes) : Json()},
          {"sha256", source.sha256.empty() ? Json() : Json(source.sha256)}};
}

Json describe(const DatasetEntry& entry, const std::string& data_dir) {
  const std::string place = place_of(entry, data_dir);
  const std::filesystem::path folder =
      data_dir.empty() ? cache_folder() : std::filesystem::path(data_dir);
  Json result = {{"name", entry.name},
                 {"title", entry.title},
                 {"reference", entry.reference},
                 {"homepage", entry.homepage},
                 {"nodes", entry.num_nodes},
                 {"arcs", entry.num_arcs},
                 {"classes", entry.num_classes},
                 {"features", entry.num_features},
                 {"splits", entry.splits},
                 {"directions_are_real", entry.directions_are_real},
                 {"features_are_normalised", entry.features_are_normalised},
                 {"normalise_features", entry.normalise_features},
                 {"faults", entry.faults},
                 {"path", place.empty() ? Json() : Json(place)},
                 {"can_be_fetched", kHasFetch && entry.can_be_fetched()},
                 {"folder", folder.string()},
                 {"downloads", (folder / "downloads" / entry.name).string()},
                 {"sources", Json::array()}};
  for (const DatasetSource& source : entry.sources) {
    result["sources"].push_back(source_json(source));
  }
  if (!place.empty()) {
    const std::string fault = file_fault(entry, place);
    result["file_matches"] = fault.empty();
    if (!fault.empty()) result["file_difference"] = fault;
  }
  return result;
}

void line(const char* key, const std::string& value) { fmt::print("{:<12} {}\n", key, value); }

std::string text(const Json& value) { return value.get<std::string>(); }

void print_sources(const Json& d) {
  if (d["sources"].empty()) return;
  fmt::print("source files, kept in {} during a fetch:\n", text(d["downloads"]));
  for (const Json& source : d["sources"]) {
    fmt::print("  {}\n", text(source["url"]));
    if (source["sha256"].is_null()) {
      fmt::print("    size and sha256 unknown\n");
    } else {
      fmt::print("    {} bytes, sha256 {}\n", json_text(source["bytes"]), text(source["sha256"]));
    }
  }
}

void print_text(const Json& d) {
  line("name", text(d["name"]));
  line("title", text(d["title"]));
  line("reference", text(d["reference"]));
  line("homepage", text(d["homepage"]));
  line("size",
       fmt::format("{} nodes, {} arcs, {} classes, {} features", json_text(d["nodes"]),
                   json_text(d["arcs"]), json_text(d["classes"]), json_text(d["features"])));
  line("splits", text(d["splits"]));
  line("directions", d["directions_are_real"]
                         ? "real"
                         : "none: each pair is listed once, in an arbitrary direction");
  line("features", d["features_are_normalised"] ? "rows already normalised"
                   : d["normalise_features"] ? "raw counts; each row is usually divided by its sum"
                                             : "raw; used without row normalisation");
  for (const Json& fault : d["faults"]) line("caveat", text(fault));
  if (d["path"].is_string()) {
    line("file", d["file_matches"].get<bool>()
                     ? text(d["path"]) + ", sizes as above"
                     : "differs from the above: " + text(d["file_difference"]));
  } else if (d["can_be_fetched"].get<bool>()) {
    line("file", fmt::format("none; 'dsnn datasets fetch {}' downloads it", text(d["name"])));
  } else {
    line("file", fmt::format("none, and no download exists; put {}.npz into {}", text(d["name"]),
                             text(d["folder"])));
  }
  print_sources(d);
}

int info(const InfoArguments& arguments) {
  const Json description = describe(entry_of(arguments.name), arguments.data_dir);
  if (arguments.json) {
    print_json(description);
  } else {
    print_text(description);
  }
  return 0;
}

// --- fetch ---

struct FetchArguments {
  std::vector<std::string> names;
  std::string data_dir;
  std::string mirror;
  bool all = false;
  bool force = false;
  bool json = false;
};

#ifdef DSNN_HAS_FETCH
std::vector<const DatasetEntry*> wanted(const FetchArguments& arguments) {
  std::vector<const DatasetEntry*> entries;
  // All names are checked before the first download.
  for (const std::string& name : arguments.names) entries.push_back(&entry_of(name));
  if (!arguments.all) return entries;
  entries.clear();
  for (const DatasetEntry& entry : dataset_registry()) {
    if (entry.can_be_fetched()) entries.push_back(&entry);
  }
  return entries;
}

FetchOptions options_of(const FetchArguments& arguments) {
  FetchOptions options;
  options.folder = arguments.data_dir;
  options.force = arguments.force;
  options.mirror = arguments.mirror;
  const char* variable = std::getenv("DSNN_MIRROR");
  if (options.mirror.empty() && variable != nullptr) options.mirror = variable;
  return options;
}

int fetch(const FetchArguments& arguments) {
  const FetchOptions options = options_of(arguments);
  Json rows = Json::array();
  for (const DatasetEntry* entry : wanted(arguments)) {
    FetchResult result = fetch_dataset(*entry, options);
    const std::string found = place_of(*entry, arguments.data_dir);
    std::error_code ignored;
    if (!found.empty() && !std::filesystem::equivalent(found, result.path, ignored)) {
      result.notes.push_back(
          fmt::format("the name {} still refers to {}, which is found first", entry->name, found));
    }
    if (arguments.json) {
      rows.push_back({{"name", entry->name},
                      {"path", result.path.string()},
                      {"was_there", result.was_there},
                      {"notes", result.notes}});
      continue;
    }
    fmt::print("{}: {} nodes, {} arcs, {} classes, {} features{}\n", result.path.string(),
               entry->num_nodes, entry->num_arcs, entry->num_classes, entry->num_features,
               result.was_there ? "; already present (--force downloads it again)" : "");
    for (const std::string& note : result.notes) fmt::print("  note: {}\n", note);
    std::fflush(stdout);  // the next one may take a while
  }
  if (arguments.json) print_json(rows);
  return 0;
}
#else
int fetch(const FetchArguments& arguments) {
  for (const std::string& name : arguments.names) entry_of(name);
  throw Error(
      "this dsnn was built without downloads (DSNN_BUILD_FETCH=OFF); 'dsnn datasets info NAME' "
      "lists the files to download by hand");
}
#endif

void add_datasets_list(Command& datasets, Action& action) {
  auto arguments = std::make_shared<ListArguments>();
  Command* command = datasets.add_subcommand("list", "List all known datasets");
  add_data_dir_argument(*command, arguments->data_dir);
  add_json_argument(*command, arguments->json);
  command->footer(
      "'fetch' under 'where' means that 'dsnn datasets fetch NAME' can download the dataset.\n"
      "Example:\n"
      "  dsnn datasets list --data-dir data");
  command->callback([arguments, &action] { action = [arguments] { return list(*arguments); }; });
}

void add_datasets_info(Command& datasets, Action& action) {
  auto arguments = std::make_shared<InfoArguments>();
  Command* command = datasets.add_subcommand("info", "Describe a known dataset and its faults");
  command->add_option("NAME", arguments->name, "Name of the dataset")->required();
  add_data_dir_argument(*command, arguments->data_dir);
  add_json_argument(*command, arguments->json);
  command->footer(
      "Example:\n"
      "  dsnn datasets info texas");
  command->callback([arguments, &action] { action = [arguments] { return info(*arguments); }; });
}

void add_datasets_fetch(Command& datasets, Action& action) {
  auto arguments = std::make_shared<FetchArguments>();
  Command* command = datasets.add_subcommand("fetch", "Download datasets and convert them to npz");
  Option* names =
      command->add_option("NAME", arguments->names, "Names of datasets")->allow_extra_args();
  Option* all = command->add_flag("--all", arguments->all, "All datasets that can be downloaded")
                    ->excludes(names);
  command->add_option("--data-dir", arguments->data_dir,
                      "Folder for NAME.npz (default: the cache folder)");
  command->add_option("--mirror", arguments->mirror,
                      "Server used instead of the original ones, such as http://localhost:8080; "
                      "the paths stay the same (default: $DSNN_MIRROR)");
  command->add_flag("--force", arguments->force, "Download again even if the file exists");
  add_json_argument(*command, arguments->json);
  command->footer(
      "The next run continues interrupted downloads. Without a network, put NAME.npz into the\n"
      "folder, or the source files into the folder that 'dsnn datasets info NAME' prints.\n"
      "Example:\n"
      "  dsnn datasets fetch texas --data-dir data");
  command->callback([arguments, names, all, &action] {
    if (!names->is_given() && !all->is_given()) refuse_without("NAME or --all");
    action = [arguments] { return fetch(*arguments); };
  });
}

}  // namespace

void add_datasets(Command& app, Action& action) {
  Command* datasets = app.add_subcommand("datasets", "List, describe and download known datasets");
  datasets->require_subcommand(1);
  datasets->footer(
      "Example:\n"
      "  dsnn datasets list");
  add_datasets_list(*datasets, action);
  add_datasets_info(*datasets, action);
  add_datasets_fetch(*datasets, action);
}

}  // namespace dsnn::cli
