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

/// A C-ordered array, as it stands in a NumPy file.
template <class T>
struct Array {
  std::vector<std::int64_t> shape;
  std::vector<T> data;
};

/// What the header of an array says: NumPy's type string ("<f8", "|b1", ...) and the shape.
struct ArrayInfo {
  std::string dtype;
  std::vector<std::int64_t> shape;
};

/// Reads the arrays of an `.npz` archive one by one.
///
/// Nothing is trusted: an array whose header promises more bytes than its member holds is refused
/// before memory is taken. Every Error names the file and the array.
///
/// Reading moves a position in the file that all functions share, const or not: one reader is for
/// one thread at a time.
class DSNN_API NpzReader {
 public:
  explicit NpzReader(std::filesystem::path path);
  ~NpzReader();
  NpzReader(const NpzReader&) = delete;
  NpzReader& operator=(const NpzReader&) = delete;

  /// Names of the arrays, sorted, without ".npy".
  std::vector<std::string> names() const;
  bool contains(const std::string& name) const;
  /// Throws Error if there is no such array, or if it is of a known type and there is less or more
  /// of it than the header says.
  ArrayInfo info(const std::string& name) const;

  /// Reads an array as T: double, float, std::int64_t, std::int32_t, std::uint8_t (booleans) or
  /// std::complex<double>. Any stored number type that T holds without loss of kind is converted:
  /// integers to any of the number types, floats to floats or complex, bool to any; never float to
  /// integer or complex to real. Fortran order and big-endian files are brought to C order and this
  /// machine's bytes.
  template <class T>
  Array<T> read(const std::string& name) const;

  /// Reads an array of text with one axis, in UTF-8: NumPy's str (U), bytes (S), or integers in
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

  /// Adds an array; T as for NpzReader::read (std::uint8_t is written as NumPy's bool). `data` must
  /// stay alive until commit(): it is not copied.
  template <class T>
  void add(const std::string& name, std::vector<std::int64_t> shape, std::span<const T> data);

  /// Adds an array of NumPy's str with one axis. The text is copied.
  void add_strings(const std::string& name, std::span<const std::string> text);

  /// Throws Error if no archive can be written there; the constructor checks it too.
  static void check_path(const std::filesystem::path& path);

  /// Writes the file. Without it nothing is written. Unless `can_be_cancelled`, it is written to
  /// the end also after request_cancel(): for what a cancelled program leaves behind.
  void commit(bool can_be_cancelled = true);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace dsnn
