#pragma once

#include "train/split_trainer.h"
#include "util/internal_api.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace dsnn {

/// An event file for TensorBoard with the scalars of each epoch: loss, accuracy and macro-F1 of the
/// training, validation and test nodes.
///
/// A file is a list of records: length, its checksum, bytes, their checksum. The bytes are a
/// protocol buffer `Event`.
class DSNN_INTERNAL_API EventFile {
 public:
  /// Begins a new file in the folder, in place of the event files of an earlier call.
  explicit EventFile(const std::filesystem::path& folder);

  /// Appends the records that are new since the last call. The file is flushed once a second.
  void append(const std::vector<EpochRecord>& records);
  void flush();

 private:
  void write(const std::string& event);

  std::filesystem::path path_;
  std::ofstream file_;
  std::size_t num_written_ = 0;  ///< of the records
  std::chrono::steady_clock::time_point flushed_;
};

/// CRC-32C, bytes in order.
DSNN_INTERNAL_API std::uint32_t crc32c(const std::string& bytes);

}  // namespace dsnn
