#pragma once

#include "dsnn/export.h"

#include <complex>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace dsnn {

/// A C-ordered array of a NumPy file.
template <class T>
struct Array {
  std::vector<std::int64_t> shape;
  std::vector<T> data;
};

/// The header of an array: NumPy's type string ("<f8", "|b1", ...) and the shape.
struct ArrayInfo {
  std::string dtype;
  std::vector<std::int64_t> shape;
};

/// Reads the arrays of an `.npz` archive one by one.
///
/// Files are not trusted: an array whose header declares more bytes than its member contains is
/// rejected before memory is allocated. Every Error names the file and the array.
///
/// All functions, const or not, share one file position: a reader must be used by one thread at a
/// time.
class DSNN_API NpzReader {
 public:
  explicit NpzReader(std::filesystem::path path);
  ~NpzReader();
  NpzReader(const NpzReader&) = delete;
  NpzReader& operator=(const NpzReader&) = delete;

  /// Names of the arrays, sorted, without ".npy".
  std::vector<std::string> names() const;
  bool contains(const std::string& name) const;
  /// Throws Error if the array does not exist, or if its type is known and its size differs from
  /// the header.
  ArrayInfo info(const std::string& name) const;

  /// Reads an array as T: double, float, std::int64_t, std::int32_t, std::uint8_t (booleans) or
  /// std::complex<double>. Stored types are converted without loss of kind: integers to any numeric
  /// type, floats to floats or complex, bool to any type; never float to integer or complex to
  /// real. Fortran order and foreign byte order are converted to C order and native byte order.
  template <class T>
  Array<T> read(const std::string& name) const;

  /// Reads a one-dimensional array of strings, as UTF-8: NumPy's str (U), bytes (S), or integers in
  /// decimal.
  std::vector<std::string> read_strings(const std::string& name) const;

  const std::filesystem::path& path() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Writes an `.npz` archive that appears under its name only when it is complete.
class DSNN_API NpzWriter {
 public:
  explicit NpzWriter(std::filesystem::path path);
  ~NpzWriter();
  NpzWriter(const NpzWriter&) = delete;
  NpzWriter& operator=(const NpzWriter&) = delete;

  /// Adds an array; T as for NpzReader::read (std::uint8_t is written as NumPy's bool). `data` is
  /// not copied and must stay alive until commit().
  template <class T>
  void add(const std::string& name, std::vector<std::int64_t> shape, std::span<const T> data);

  /// Adds a one-dimensional array of NumPy's str. The text is copied.
  void add_strings(const std::string& name, std::span<const std::string> text);

  /// Throws Error if no archive can be written to this path; the constructor checks this too.
  static void check_path(const std::filesystem::path& path);

  /// Writes the file; nothing is written before. Unless `can_be_cancelled`, the file is completed
  /// even after request_cancel(), for results of a cancelled program.
  void commit(bool can_be_cancelled = true);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace dsnn
