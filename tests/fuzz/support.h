#pragma once

#include "dsnn/data/dataset.h"
#include "dsnn/util/error.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

// Code shared by the fuzz targets. Each defines only LLVMFuzzerTestOneInput, so that it runs with
// libFuzzer as well as with replay.cpp.

namespace dsnn::fuzz {

inline std::string_view as_text(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// The parts between form feeds, which text files do not contain; padded with empty parts to the
/// requested number.
std::vector<std::string_view> split_parts(std::string_view text, std::size_t count);

/// A folder for the files of one process, removed at its end.
class Scratch {
 public:
  static Scratch& instance();
  /// Writes a file, creating its folder, and returns its path. Without bytes, no file is written.
  std::filesystem::path write(const std::string& name, std::string_view bytes) const;
  const std::filesystem::path& path() const { return path_; }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

 private:
  Scratch();
  ~Scratch();
  std::filesystem::path path_;
};

/// Aborts with a message unless the dataset is consistent and unchanged by write_dataset() and
/// read_dataset().
void check_dataset(const Dataset& dataset);

/// Reads a dataset and checks it. An Error is a valid result; any other exception is a finding.
template <class Read>
int check_reading(const Read& read) {
  try {
    check_dataset(read());
  } catch (const Error&) {
  }
  return 0;
}

}  // namespace dsnn::fuzz
