#pragma once

#include "dsnn/data/registry.h"
#include "dsnn/export.h"

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace dsnn {

struct FetchOptions {
  std::filesystem::path folder = {};  ///< for `<name>.npz`; empty: cache_folder()
  /// Replaces scheme and host of every URL, for example "http://localhost:8080".
  std::string mirror = {};
  bool force = false;                                 ///< download even if `<name>.npz` exists
  int retries = 4;                                    ///< consecutive attempts without new data
  std::chrono::milliseconds stall{30'000};            ///< time without data until an attempt fails
  std::chrono::milliseconds connect_timeout{20'000};  ///< for name lookup and connection
  std::chrono::milliseconds back_off{500};  ///< before the second attempt; doubles each time
};

struct FetchResult {
  std::filesystem::path path;      ///< of `<name>.npz`
  bool was_there = false;          ///< the file existed already
  std::vector<std::string> notes;  ///< automatic decisions, one sentence each
};

/// Downloads the public source files of a dataset, checks them, and converts them to `<name>.npz`,
/// which appears only when it is complete.
///
/// Source files are kept in `<folder>/downloads/<name>` until then: an existing file, from an
/// earlier attempt or put there by hand, is checked and used, and a partial file (`.part`) is
/// continued. Each must have the known hash or, if none is known, result in a dataset of the known
/// sizes.
///
/// An existing `<name>.npz` is read, and is an Error if it does not have the known sizes: it may be
/// a file of the user, and only `force` replaces it.
///
/// Without a network, throws Error that says which files to put where. Throws Cancelled within a
/// second of request_cancel(). Neither leaves incomplete files that look complete.
DSNN_API FetchResult fetch_dataset(const DatasetEntry& entry, const FetchOptions& options = {});

}  // namespace dsnn
