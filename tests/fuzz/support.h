#pragma once

#include "dsnn/data/dataset.h"
#include "dsnn/util/error.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

// What the fuzz targets share. Each has LLVMFuzzerTestOneInput and nothing else, so that it runs
// with libFuzzer as well as with replay.cpp.

namespace dsnn::fuzz {

inline std::string_view as_text(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// The parts between form feeds, which no file of text has; as many as are asked for, the last ones
/// empty where there are fewer.
std::vector<std::string_view> split_parts(std::string_view text, std::size_t count);

/// A folder for the files of one process, removed at its end.
class Scratch {
 public:
  static Scratch& instance();
  /// Writes a file, in a folder that may not be there yet, and returns its path. Without bytes
  /// there is no such file.
  std::filesystem::path write(const std::string& name, std::string_view bytes) const;
  const std::filesystem::path& path() const { return path_; }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

 private:
  Scratch();
  ~Scratch();
  std::filesystem::path path_;
};

/// Ends the process with a message unless all that a dataset promises holds, and unless it is the
/// same after write_dataset() and read_dataset().
void check_dataset(const Dataset& dataset);

/// Reads a dataset and checks it. An Error is an answer; whatever else `read` throws is a finding.
template <class Read>
int check_reading(const Read& read) {
  try {
    check_dataset(read());
  } catch (const Error&) {
  }
  return 0;
}

}  // namespace dsnn::fuzz
