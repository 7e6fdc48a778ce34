#include "dsnn/data/npz.h"
#include "dsnn/util/error.h"
#include "dsnn/util/output_file.h"
#include "dsnn/util/progress.h"

#include "data/npy_header.h"
#include "data/utf8.h"
#include "util/machine.h"

#include <fmt/format.h>
#include <zip.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <exception>
#include <iterator>
#include <list>
#include <string_view>
#include <utility>

namespace dsnn {
namespace {

// The earliest date a zip archive can carry, 1980-01-01, as numpy.savez writes it: the same arrays
// make the same bytes on any day.
constexpr zip_uint16_t kDosTime = 0;
constexpr zip_uint16_t kDosDate = (1 << 5) | 1;
// libzip reports each time this share of the work is done.
constexpr double kProgressStep = 0.01;

// NumPy's name of T in this machine's order of bytes.
template <class T>
std::string dtype_name() {
  if constexpr (std::is_same_v<T, std::uint8_t>) return "|b1";
  const bool is_little = std::endian::native == std::endian::little;
  const char* kind = std::is_integral_v<T> ? "i" : std::is_floating_point_v<T> ? "f" : "c";
  return fmt::format("{}{}{}", is_little ? '<' : '>', kind, sizeof(T));
}

struct ZipArchiveCloser {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};
using ZipArchive = std::unique_ptr<zip_t, ZipArchiveCloser>;

struct PendingArray {
  std::string name;
  std::string header;
  std::span<const std::byte> data;
};

// Carries reports from libzip's callbacks, through which no exception may pass.
struct ProgressBridge {
  std::int64_t total_bytes = 0;
  std::exception_ptr thrown;

  static void report(zip_t*, double share, void* self) {
    auto& bridge = *static_cast<ProgressBridge*>(self);
    if (bridge.thrown) return;
    try {
      const auto total = static_cast<double>(bridge.total_bytes);
      report_progress("writing", static_cast<std::int64_t>(share * total), bridge.total_bytes);
    } catch (...) {
      bridge.thrown = std::current_exception();
    }
  }

  static int should_stop(zip_t*, void* self) {
    return is_cancel_requested() || static_cast<ProgressBridge*>(self)->thrown ? 1 : 0;
  }
};

}  // namespace

struct NpzWriter::Impl {
  std::filesystem::path path;
  std::vector<PendingArray> arrays;
  std::list<std::vector<std::uint32_t>> texts;  // as code points; lists do not move

  void check_new(const std::string& name) const {
    if (std::ranges::find(arrays, name, &PendingArray::name) == arrays.end()) return;
    throw Error(fmt::format("{}: array '{}' is added twice", path.string(), name));
  }

  ZipArchive open() const {
    int code = 0;
    ZipArchive archive(zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &code));
    if (!archive) {
      zip_error_t error;
      zip_error_init(&error);
      zip_error_set(&error, code, errno);
      fail(&error);
    }
    return archive;
  }

  void add_all(zip_t* archive) const {
    for (const PendingArray& array : arrays) {
      const std::string member_name = array.name + ".npy";
      zip_source_t* source = make_source(archive, array);
      const zip_int64_t index =
          source == nullptr ? -1 : zip_file_add(archive, member_name.c_str(), source, 0);
      if (index < 0) {
        zip_source_free(source);  // libzip owns it only after success
        fail(zip_get_error(archive));
      }
      const auto member = static_cast<zip_uint64_t>(index);
      if (zip_set_file_compression(archive, member, ZIP_CM_STORE, 0) != 0 ||
          zip_file_set_dostime(archive, member, kDosTime, kDosDate, 0) != 0) {
        fail(zip_get_error(archive));
      }
    }
  }

  // The fragments are written one after the other, so header and data need no common buffer.
  static zip_source_t* make_source(zip_t* archive, const PendingArray& array) {
    const auto fragment = [](const void* data, std::size_t bytes) {
      // libzip's type is not const, but it only reads data that it does not own.
      return zip_buffer_fragment_t{static_cast<zip_uint8_t*>(const_cast<void*>(data)), bytes};
    };
    const zip_buffer_fragment_t fragments[] = {fragment(array.header.data(), array.header.size()),
                                               fragment(array.data.data(), array.data.size())};
    const zip_uint64_t count = array.data.empty() ? 1 : 2;
    return zip_source_buffer_fragment(archive, fragments, count, 0);
  }

  [[noreturn]] void fail(zip_error_t* error) const {
    const bool has_system_reason = zip_error_system_type(error) == ZIP_ET_SYS;
    throw Error(fmt::format("{}: cannot write: {}", path.string(),
                            has_system_reason ? std::strerror(zip_error_code_system(error))
                                              : zip_error_strerror(error)));
  }
};

NpzWriter::NpzWriter(std::filesystem::path path) : impl_(std::make_unique<Impl>()) {
  check_path(path);
  // Replace the target of a symbolic link, not the link.
  std::error_code ignored;
  const bool is_link = std::filesystem::is_symlink(path, ignored);
  impl_->path = is_link ? std::filesystem::weakly_canonical(path) : std::move(path);
}

NpzWriter::~NpzWriter() = default;

template <class T>
void NpzWriter::add(const std::string& name, std::vector<std::int64_t> shape,
                    std::span<const T> data) {
  const auto fail = [&](const std::string& what) {
    throw Error(fmt::format("{}: array '{}' {}", impl_->path.string(), name, what));
  };
  impl_->check_new(name);
  const bool has_negative = std::ranges::any_of(shape, [](std::int64_t n) { return n < 0; });
  if (has_negative || array_bytes(shape, sizeof(T)) != data.size_bytes()) {
    fail(fmt::format("has shape {}, but {} elements", format_shape(shape), data.size()));
  }
  if constexpr (std::is_same_v<T, std::uint8_t>) {
    if (std::ranges::any_of(data, [](std::uint8_t value) { return value > 1; })) {
      fail("of booleans has a value that is neither 0 nor 1");
    }
  }
  impl_->arrays.push_back({name, format_npy_header(dtype_name<T>(), shape), std::as_bytes(data)});
}

template void NpzWriter::add(const std::string&, std::vector<std::int64_t>,
                             std::span<const double>);
template void NpzWriter::add(const std::string&, std::vector<std::int64_t>, std::span<const float>);
template void NpzWriter::add(const std::string&, std::vector<std::int64_t>,
                             std::span<const std::int64_t>);
template void NpzWriter::add(const std::string&, std::vector<std::int64_t>,
                             std::span<const std::int32_t>);
template void NpzWriter::add(const std::string&, std::vector<std::int64_t>,
                             std::span<const std::uint8_t>);
template void NpzWriter::add(const std::string&, std::vector<std::int64_t>,
                             std::span<const std::complex<double>>);

void NpzWriter::add_strings(const std::string& name, std::span<const std::string> text) {
  impl_->check_new(name);
  // NumPy pads every string with zeros to the width of the longest, four bytes per code point.
  std::size_t width = 1;
  for (std::string_view rest : text) {
    std::size_t length = 0;
    for (; !rest.empty(); ++length) take_code_point(rest);
    width = std::max(width, length);
  }
  if (!text.empty() && width > physical_memory() / sizeof(std::uint32_t) / text.size()) {
    throw Error(
        fmt::format("{}: array '{}' needs more memory than this machine has: {} strings, all "
                    "padded to the longest, "
                    "{} characters",
                    impl_->path.string(), name, text.size(), width));
  }
  std::vector<std::uint32_t>& points = impl_->texts.emplace_back(text.size() * width, 0);
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string_view rest = text[i];
    for (std::size_t j = i * width; !rest.empty(); ++j) points[j] = take_code_point(rest);
  }
  const bool is_little = std::endian::native == std::endian::little;
  impl_->arrays.push_back(
      {name,
       format_npy_header(fmt::format("{}U{}", is_little ? '<' : '>', width), {std::ssize(text)}),
       std::as_bytes(std::span(points))});
}

// libzip renames its temporary file to the path and would replace a device, so devices are refused
// here. An unwritable folder is found now, before the caller does more work.
void NpzWriter::check_path(const std::filesystem::path& path) {
  check_output_path(path);
  if (is_stream_path(path)) {
    throw Error(fmt::format("{}: cannot write: not a regular file", path.string()));
  }
}

void NpzWriter::commit(bool can_be_cancelled) {
  // libzip deletes the file if the archive has no members.
  if (impl_->arrays.empty()) {
    throw Error(fmt::format("{}: cannot write: no array was added", impl_->path.string()));
  }
  ProgressBridge bridge;
  for (const PendingArray& array : impl_->arrays) {
    bridge.total_bytes += static_cast<std::int64_t>(array.header.size() + array.data.size());
  }
  ZipArchive archive = impl_->open();
  impl_->add_all(archive.get());
  if (can_be_cancelled) {
    zip_register_progress_callback_with_state(archive.get(), kProgressStep, &ProgressBridge::report,
                                              nullptr, &bridge);
    zip_register_cancel_callback_with_state(archive.get(), &ProgressBridge::should_stop, nullptr,
                                            &bridge);
  }
  const bool is_written = zip_close(archive.get()) == 0;
  if (is_written) (void)archive.release();  // closing has freed it
  if (is_written) return;  // even if the last report asked for the end: the file is there
  if (bridge.thrown) std::rethrow_exception(bridge.thrown);
  if (can_be_cancelled && is_cancel_requested()) throw Cancelled();
  impl_->fail(zip_get_error(archive.get()));
}

}  // namespace dsnn
