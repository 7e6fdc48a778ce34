#include "train/tensorboard.h"

#include "dsnn/train/train.h"

#include "support/communities.h"
#include "support/expect_error.h"
#include "support/test_files.h"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>

namespace dsnn {
namespace {

namespace fs = std::filesystem;
using testing::communities;
using testing::expect_error;
using testing::options_of;
using testing::TempDir;

std::vector<fs::path> event_files(const fs::path& folder) {
  std::vector<fs::path> paths;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.path().filename().string().starts_with("events.")) paths.push_back(entry.path());
  }
  return paths;
}

/// The number of records of a file; -1 if a length or a checksum is wrong.
int num_records(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  const auto number_at = [&](std::size_t place) {
    std::uint32_t number = 0;
    std::memcpy(&number, bytes.data() + place, sizeof(number));
    return number;
  };
  const auto unmasked = [](std::uint32_t sum) {
    const std::uint32_t turned = sum - 0xa282ead8U;
    return turned >> 17 | turned << 15;
  };
  int count = 0;
  for (std::size_t place = 0; place < bytes.size(); ++count) {
    if (bytes.size() - place < 16) return -1;
    const std::size_t length = number_at(place);
    if (bytes.size() - place < 16 + length) return -1;
    if (unmasked(number_at(place + 8)) != crc32c(bytes.substr(place, 8))) return -1;
    if (unmasked(number_at(place + 12 + length)) != crc32c(bytes.substr(place + 12, length))) {
      return -1;
    }
    place += 16 + length;
  }
  return count;
}

// The check value of the algorithm.
TEST(TensorBoard, Checksum) { EXPECT_EQ(crc32c("123456789"), 0xe3069283U); }

TEST(TensorBoard, HasARecordForEachEpoch) {
  const TempDir dir;
  TrainOptions options = options_of({"epochs=4"});
  options.splits = {0, 1};
  options.folder = dir / "run";
  options.logs_tensorboard = true;
  train(communities(), options);
  for (const char* split : {"split-0", "split-1"}) {
    const std::vector<fs::path> files = event_files(options.folder / split);
    ASSERT_EQ(files.size(), 1U);
    EXPECT_EQ(num_records(files.front()), 1 + 4);  // the version, and an epoch each
  }
  // Again: one file, with all epochs.
  options.resume = true;
  train(communities(), options);
  const std::vector<fs::path> files = event_files(options.folder / "split-0");
  ASSERT_EQ(files.size(), 1U);
  EXPECT_EQ(num_records(files.front()), 1 + 4);
}

TEST(TensorBoard, NeedsAFolder) {
  TrainOptions options = options_of({"epochs=1"});
  options.logs_tensorboard = true;
  expect_error([&] { train(communities(), options); }, "event files for TensorBoard need a folder");
}

}  // namespace
}  // namespace dsnn
