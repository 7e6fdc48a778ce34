#include "support.h"

#include <zlib.h>

#include <algorithm>
#include <array>

// Either a raw archive, which begins with PK, or arrays: for each a byte for its name, two for its
// length, and the bytes of its .npy file. These are packed into an archive with correct checksums,
// since a fuzzer would not find them.

namespace {

constexpr std::array kNames = {
    "edges",       "edge_weights", "node_features", "node_labels",         "train_masks",
    "val_masks",   "test_masks",   "num_nodes",     "node_features_data",  "node_features_indices",
    "label_names", "node_ids",     "feature_names", "node_features_shape", "node_features_indptr"};

void put(std::string& to, std::uint64_t number, int bytes) {
  for (; bytes > 0; --bytes, number >>= 8) to.push_back(static_cast<char>(number & 0xff));
}

// A stored member: its local header, and its entry in the directory at the end.
void add_member(std::string& archive, std::string& directory, const std::string& name,
                std::string_view bytes) {
  std::string common;
  put(common, 20, 2);  // version, flags, method, time and date
  put(common, 0, 8);
  put(common, ::crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), uInt(bytes.size())), 4);
  put(common, bytes.size(), 4);
  put(common, bytes.size(), 4);
  put(common, name.size(), 2);
  put(common, 0, 2);
  directory += "PK\x01\x02";
  put(directory, 20, 2);
  directory += common;
  put(directory, 0, 10);  // comment, disk, attributes
  put(directory, archive.size(), 4);
  directory += name;
  archive.append("PK\x03\x04").append(common).append(name).append(bytes);
}

std::string make_archive(std::string_view arrays) {
  std::string archive, directory;
  std::uint64_t count = 0;
  while (arrays.size() >= 3) {
    const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(arrays[i]); };
    const std::string name = kNames[byte(0) % kNames.size()];
    const std::size_t length = byte(1) | std::size_t{byte(2)} << 8;
    arrays.remove_prefix(3);
    const std::string_view bytes = arrays.substr(0, length);
    arrays.remove_prefix(bytes.size());
    add_member(archive, directory, name + ".npy", bytes);
    ++count;
  }
  const std::size_t begin = archive.size();
  archive.append(directory).append("PK\x05\x06");
  put(archive, 0, 4);
  put(archive, count, 2);
  put(archive, count, 2);
  put(archive, directory.size(), 4);
  put(archive, begin, 4);
  put(archive, 0, 2);
  return archive;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dsnn;
  const std::string_view input = fuzz::as_text(data, size);
  const auto path = fuzz::Scratch::instance().write(
      "graph.npz", input.starts_with("PK") ? std::string(input) : make_archive(input));
  return fuzz::check_reading([&] { return read_dataset(path); });
}
