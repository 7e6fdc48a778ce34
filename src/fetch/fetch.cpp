#include "dsnn/fetch/fetch.h"

#include "dsnn/data/dataset.h"
#include "dsnn/data/folders.h"
#include "dsnn/util/error.h"
#include "dsnn/util/output_file.h"
#include "dsnn/util/progress.h"

#include "data/check_sizes.h"
#include "data/linqs.h"
#include "fetch/archive.h"
#include "fetch/download.h"
#include "util/folder_lock.h"

#include <fmt/format.h>

#include <algorithm>

namespace dsnn {
namespace {

namespace fs = std::filesystem;

/// A name that stays in its folder.
bool is_plain_name(std::string_view name) {
  return !name.empty() && name != "." && name.find("..") == std::string_view::npos &&
         name.find_first_of(std::string_view("/\\\0", 3)) == std::string_view::npos;
}

void check_entry(const DatasetEntry& entry) {
  if (!is_plain_name(entry.name)) {
    throw Error(
        fmt::format("'{}' is no name of a dataset, expected one without '/' and '..'", entry.name));
  }
  for (const DatasetSource& source : entry.sources) {
    if (is_plain_name(source.file_name)) continue;
    throw Error(fmt::format("{}: the source's file name '{}' leads out of its folder", entry.name,
                            source.file_name));
  }
}

fs::path folder_of(const FetchOptions& options) {
  fs::path folder = options.folder.empty() ? cache_folder() : options.folder;
  if (folder.empty()) {
    throw Error(
        "there is no folder for datasets: set HOME or XDG_CACHE_HOME, or name one "
        "(--data-dir)");
  }
  return folder;
}

void create_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    throw Error(fmt::format("{}: cannot create the folder: {}", folder.string(), error.message()));
  }
}

/// Where the path of a URL begins.
std::size_t path_begin(const std::string& url) {
  const std::size_t host = url.find("://");
  return std::min(url.find('/', host == std::string::npos ? 0 : host + 3), url.size());
}

std::string mirrored(const std::string& url, std::string mirror) {
  if (mirror.empty()) return url;
  if (!mirror.starts_with("http://") && !mirror.starts_with("https://")) {
    throw Error(
        fmt::format("the mirror '{}' is no address, expected http://HOST or https://HOST", mirror));
  }
  while (mirror.ends_with('/')) mirror.pop_back();
  return mirror + url.substr(path_begin(url));
}

std::string host_of(const std::string& url) {
  const std::size_t begin = url.find("://") + 3;
  return url.substr(begin, path_begin(url) - begin);
}

class Fetch {
 public:
  Fetch(const DatasetEntry& entry, const FetchOptions& options, const fs::path& folder)
      : entry_(entry),
        options_(options),
        target_(folder / (entry.name + ".npz")),
        downloads_(folder / "downloads" / entry.name) {}

  FetchResult run() {
    const auto found = [&] {
      std::error_code ignored;
      return !options_.force && fs::exists(target_, ignored);
    };
    if (found()) return result_there();
    create_folder(downloads_);
    // Another process at the same dataset may well have made it in the meantime.
    FolderLock lock(target_.parent_path());
    lock.wait("waiting for another fetch");
    if (found()) {
      tidy();
      return result_there();
    }
    create_folder(downloads_);
    check_output_path(target_);
    try {
      obtain_sources();
      Dataset dataset = convert();
      check_sizes(dataset);
      write_dataset(target_, dataset);
      remove_sources();
      tidy();
      return {target_, false, std::move(dataset.notes)};
    } catch (...) {
      tidy();
      throw;
    }
  }

 private:
  /// What stands there may be anything; it is looked at, and left to the user.
  FetchResult result_there() const {
    const std::string fault = file_fault(entry_, target_);
    if (fault.empty()) return {target_, true, {}};
    throw Error(
        fmt::format("{}; it is left as it is: move it away, or let --force replace it", fault));
  }

  fs::path path_of(const DatasetSource& source) const { return downloads_ / source.file_name; }

  void obtain_sources() {
    DownloadProgress progress;
    const auto is_unknown = [](const DatasetSource& source) { return source.bytes == 0; };
    if (std::ranges::none_of(entry_.sources, is_unknown)) {
      for (const DatasetSource& source : entry_.sources) progress.total += source.bytes;
    }
    for (const DatasetSource& source : entry_.sources) {
      const fs::path path = path_of(source);
      std::error_code ignored;
      if (fs::exists(path, ignored)) {
        check_present(source, path);
      } else {
        obtain(source, path, progress);
        downloaded_.push_back(path);
      }
      progress.done_before += source.bytes;
    }
  }

  static void check_present(const DatasetSource& source, const fs::path& path) {
    try {
      check_download(source, path, path.string());
    } catch (const Cancelled&) {
      throw;
    } catch (const Error& error) {
      throw Error(fmt::format("{}; remove it to download it anew", error.what()));
    }
  }

  void obtain(const DatasetSource& source, const fs::path& path,
              const DownloadProgress& progress) const {
    const std::string url = mirrored(source.url, options_.mirror);
    try {
      download(source, url, path, options_, progress);
    } catch (const Unreachable& error) {
      throw Error(fmt::format(
          "{}: {} cannot be reached ({}); without a network, put {} into {}, or its originals, "
          "which 'dsnn datasets info {}' lists, into {}",
          entry_.name, host_of(url), error.what(), target_.filename().string(),
          target_.parent_path().string(), entry_.name, downloads_.string()));
    }
  }

  Dataset convert() {
    try {
      Dataset dataset = read_sources();
      if (!entry_.directions_are_real) {
        dataset.notes.emplace_back(
            "the graph is undirected: its arcs are one for each pair, and their direction means "
            "nothing");
      }
      return dataset;
    } catch (const Cancelled&) {
      throw;
    } catch (const Error& error) {
      fail_content(error.what());
    }
  }

  Dataset read_sources() const {
    switch (entry_.source_kind) {
      case SourceKind::kGeomGcn:
        return read_geom_gcn(downloads_);
      case SourceKind::kHeterophilous:
        return read_dataset(path_of(entry_.sources.at(0)));
      case SourceKind::kLinqs:
        return read_linqs_archive(path_of(entry_.sources.at(0)));
      case SourceKind::kNone:
        break;
    }
    throw Error(fmt::format("{}: has no sources", entry_.name));
  }

  Dataset read_linqs_archive(const fs::path& path) const {
    return read_linqs(read_archive_members(path, linqs_files(entry_.name)), path.string(),
                      entry_.name);
  }

  void check_sizes(const Dataset& dataset) {
    const std::string differences = size_differences(entry_, dataset);
    if (differences.empty()) return;
    fail_content(fmt::format("{}: the originals have {}", entry_.name, differences));
  }

  /// What was downloaded without a hash may be anything; it must not stand in the way of the next
  /// attempt. What somebody put there is theirs.
  [[noreturn]] void fail_content(const std::string& what) {
    std::error_code ignored;
    for (const fs::path& path : downloaded_) fs::remove(path, ignored);
    const bool is_all_ours = downloaded_.size() == entry_.sources.size();
    throw Error(is_all_ours ? fmt::format("{} (what was downloaded is removed)", what)
                            : fmt::format("{}; remove what is in {} to download it anew", what,
                                          downloads_.string()));
  }

  void remove_sources() const {
    for (const DatasetSource& source : entry_.sources) {
      std::error_code ignored;
      fs::remove(path_of(source), ignored);
      fs::remove(path_of(source).concat(".part"), ignored);
    }
  }

  /// Removes the folders for downloads if nothing is left in them.
  void tidy() const {
    std::error_code ignored;
    fs::remove(downloads_, ignored);
    fs::remove(downloads_.parent_path(), ignored);
  }

  const DatasetEntry& entry_;
  const FetchOptions& options_;
  fs::path target_;
  fs::path downloads_;
  std::vector<fs::path> downloaded_;
};

}  // namespace

FetchResult fetch_dataset(const DatasetEntry& entry, const FetchOptions& options) {
  check_entry(entry);
  const fs::path folder = folder_of(options);
  if (!entry.can_be_fetched() || entry.sources.empty()) {
    throw Error(
        fmt::format("{}: cannot be fetched, as it has no public original; put {}.npz "
                    "into {}",
                    entry.name, entry.name, folder.string()));
  }
  const ProgressScope scope(entry.name);
  return Fetch(entry, options, folder).run();
}

}  // namespace dsnn
