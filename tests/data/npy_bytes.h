#pragma once

#include <zip.h>

#include <bit>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

// Archives and arrays built byte by byte, which no well-behaved writer would produce.

namespace dsnn::testing {

/// The dictionary of an `.npy` header.
inline std::string npy_dictionary(const std::string& dtype, const std::string& shape,
                                  const std::string& fortran_order = "False") {
  return "{'descr': '" + dtype + "', 'fortran_order': " + fortran_order + ", 'shape': " + shape +
         ", }";
}

/// An `.npy` file of the given version around a dictionary and data.
inline std::string npy_bytes(const std::string& dictionary, const std::string& data,
                             int major = 1) {
  std::string bytes = "\x93NUMPY";
  bytes.push_back(static_cast<char>(major));
  bytes.push_back('\0');
  for (int i = 0; i < (major == 1 ? 2 : 4); ++i) {
    bytes.push_back(static_cast<char>((dictionary.size() >> (8 * i)) & 0xff));
  }
  return bytes + dictionary + data;
}

/// The values as stored by a little-endian machine, or by a big-endian one.
template <class T>
std::string raw_bytes(const std::vector<T>& numbers, std::endian order = std::endian::little) {
  std::string bytes;
  for (const T& number : numbers) {
    std::string one(sizeof(T), '\0');
    std::memcpy(one.data(), &number, sizeof(T));
    bytes += order == std::endian::native ? one : std::string(one.rbegin(), one.rend());
  }
  return bytes;
}

/// Writes members of any content, stored (ZIP_CM_STORE) or deflated (ZIP_CM_DEFLATE).
inline std::filesystem::path write_zip(
    const std::filesystem::path& path,
    const std::vector<std::pair<std::string, std::string>>& members, int method = ZIP_CM_STORE) {
  zip_t* archive = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, nullptr);
  if (archive == nullptr) throw std::runtime_error("cannot create " + path.string());
  for (const auto& [name, bytes] : members) {
    zip_source_t* source = zip_source_buffer(archive, bytes.data(), bytes.size(), 0);
    const zip_int64_t index = zip_file_add(archive, name.c_str(), source, 0);
    if (index < 0) throw std::runtime_error("cannot add " + name);
    zip_set_file_compression(archive, static_cast<zip_uint64_t>(index), method, 9);
  }
  if (zip_close(archive) != 0) throw std::runtime_error("cannot write " + path.string());
  return path;
}

}  // namespace dsnn::testing
