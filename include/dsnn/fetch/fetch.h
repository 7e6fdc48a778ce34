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
  /// Takes the place of scheme and host in every address, as in "http://localhost:8080".
  std::string mirror = {};
  bool force = false;                                 ///< also where `<name>.npz` is there already
  int retries = 4;                                    ///< in a row that bring nothing new
  std::chrono::milliseconds stall{30'000};            ///< without a byte, before it is an attempt
  std::chrono::milliseconds connect_timeout{20'000};  ///< for the name and the connection
  std::chrono::milliseconds back_off{500};  ///< before the second attempt; doubles each time
};

struct FetchResult {
  std::filesystem::path path;      ///< of `<name>.npz`
  bool was_there = false;          ///< nothing had to be done
  std::vector<std::string> notes;  ///< what was decided on the way, a sentence each
};

/// Downloads the public originals of a dataset, checks them, and makes `<name>.npz` of them, which
/// appears when it is complete.
///
/// Originals are kept in `<folder>/downloads/<name>` until then: one that is there, by an earlier
/// attempt or by hand, is checked and used, and one that is there in part (`.part`) is continued.
/// Each must have the known hash or, where none is known, lead to a dataset of the known sizes.
///
/// A `<name>.npz` that is there already is read, and is an Error if it is not of the known sizes:
/// it may be somebody's own, and only `force` replaces it.
///
/// Throws Error that says what to put where if there is no network, and Cancelled within a second
/// of request_cancel(); neither leaves anything that looks complete and is not.
DSNN_API FetchResult fetch_dataset(const DatasetEntry& entry, const FetchOptions& options = {});

}  // namespace dsnn
