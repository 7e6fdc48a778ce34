#include "train/tensorboard.h"

#include "dsnn/util/error.h"

#include "util/duration.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <concepts>

namespace dsnn {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPrefix = "events.out.tfevents.";

double wall_time() {
  using Seconds = std::chrono::duration<double>;
  return Seconds(std::chrono::system_clock::now().time_since_epoch()).count();
}

/// The bytes of a number, the lowest first.
template <std::unsigned_integral T>
std::string bytes_of(T number) {
  std::string bytes;
  for (std::size_t i = 0; i < sizeof(T); ++i) bytes += static_cast<char>(number >> (8 * i) & 0xff);
  return bytes;
}

// --- protocol buffers: a field is its key, 8 * number + type, and its value ---

std::string varint(std::uint64_t number) {
  std::string bytes;
  for (; number >= 0x80; number >>= 7) bytes += static_cast<char>((number & 0x7f) | 0x80);
  return bytes + static_cast<char>(number);
}

std::string integer_field(int number, std::int64_t value) {
  return varint(8U * static_cast<unsigned>(number)) + varint(static_cast<std::uint64_t>(value));
}

std::string double_field(int number, double value) {
  return varint(8U * static_cast<unsigned>(number) + 1) +
         bytes_of(std::bit_cast<std::uint64_t>(value));
}

std::string float_field(int number, float value) {
  return varint(8U * static_cast<unsigned>(number) + 5) +
         bytes_of(std::bit_cast<std::uint32_t>(value));
}

/// A text or a message.
std::string bytes_field(int number, const std::string& bytes) {
  return varint(8U * static_cast<unsigned>(number) + 2) + varint(bytes.size()) + bytes;
}

/// Summary.Value: tag and simple_value.
std::string scalar(const std::string& tag, double value) {
  return bytes_field(1, bytes_field(1, tag) + float_field(2, static_cast<float>(value)));
}

std::string scalars(const EpochRecord& record) {
  std::string summary = scalar("loss/step", record.train_loss);
  const auto add = [&](const char* nodes, const Scores& scores) {
    summary += scalar(fmt::format("loss/{}", nodes), scores.loss);
    summary += scalar(fmt::format("accuracy/{}", nodes), scores.accuracy);
    summary += scalar(fmt::format("macro_f1/{}", nodes), scores.macro_f1);
  };
  add("train", record.train);
  add("validation", record.validation);
  add("test", record.test);
  return summary;
}

/// As the format wants it: turned and shifted, because a checksum of checksums is weak.
std::uint32_t masked(std::uint32_t checksum) {
  return (checksum >> 15 | checksum << 17) + 0xa282ead8U;
}

}  // namespace

std::uint32_t crc32c(const std::string& bytes) {
  static const std::array<std::uint32_t, 256> table = [] {
    std::array<std::uint32_t, 256> entries{};
    for (std::uint32_t i = 0; i < 256; ++i) {
      std::uint32_t rest = i;
      for (int bit = 0; bit < 8; ++bit)
        rest = (rest & 1) != 0 ? rest >> 1 ^ 0x82f63b78U : rest >> 1;
      entries[i] = rest;
    }
    return entries;
  }();
  std::uint32_t checksum = ~0U;
  for (const char byte : bytes) {
    checksum = checksum >> 8 ^ table[(checksum ^ static_cast<unsigned char>(byte)) & 0xff];
  }
  return ~checksum;
}

EventFile::EventFile(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw Error(fmt::format("{}: cannot create: {}", folder.string(), error.message()));
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.path().filename().string().starts_with(kPrefix)) fs::remove(entry.path());
  }
  const auto seconds = static_cast<std::int64_t>(wall_time());
  path_ = folder / fmt::format("{}{}.dsnn", kPrefix, seconds);
  file_.open(path_, std::ios::binary);
  write(double_field(1, wall_time()) + bytes_field(3, "brain.Event:2"));
  flush();
}

void EventFile::append(const std::vector<EpochRecord>& records) {
  for (; num_written_ < records.size(); ++num_written_) {
    const EpochRecord& record = records[num_written_];
    write(double_field(1, wall_time()) + integer_field(2, record.epoch) +
          bytes_field(5, scalars(record)));
  }
  if (seconds_since(flushed_) >= 1) flush();
}

void EventFile::flush() {
  file_.flush();
  if (!file_) throw Error(fmt::format("{}: cannot write", path_.string()));
  flushed_ = std::chrono::steady_clock::now();
}

void EventFile::write(const std::string& event) {
  const std::string length = bytes_of(std::uint64_t{event.size()});
  file_ << length << bytes_of(masked(crc32c(length))) << event << bytes_of(masked(crc32c(event)));
}

}  // namespace dsnn
