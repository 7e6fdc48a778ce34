#include "dsnn/data/npz.h"
#include "dsnn/util/error.h"
#include "dsnn/util/progress.h"

#include "data/inflation.h"
#include "data/input_file.h"
#include "data/npy_convert.h"
#include "data/npy_header.h"
#include "data/utf8.h"
#include "util/machine.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <zip.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <new>
#include <optional>
#include <string_view>
#include <utility>

namespace dsnn {
namespace {

constexpr std::string_view kSuffix = ".npy";
// Large enough to make the cost of calls negligible, small compared with large arrays.
constexpr std::size_t kChunkBytes = std::size_t{1} << 20;
// For streams of a few bytes, beside kMaxInflation.
constexpr std::uint64_t kInflationSlack = 4096;
constexpr std::size_t kMaxNamesShown = 20;
constexpr std::size_t kReportedTexts = 4096;

struct ZipArchiveCloser {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};
struct ZipFileCloser {
  void operator()(zip_file_t* file) const { zip_fclose(file); }
};

// An array within the archive, read from start to end.
class Member {
 public:
  Member(zip_t* archive, std::uint64_t index, std::string label, std::uint64_t archive_bytes)
      : label_(std::move(label)) {
    zip_stat_t status;
    zip_stat_init(&status);
    if (zip_stat_index(archive, index, 0, &status) != 0) fail_with(zip_get_error(archive));
    check_sizes(status, archive_bytes);
    left_ = status.size;
    file_.reset(zip_fopen_index(archive, index, 0));
    if (!file_) fail_with(zip_get_error(archive));
  }

  NpyHeader read_header() {
    const auto take = [this](std::size_t bytes) {
      if (bytes > left_) fail("is truncated within its header");
      std::string text(bytes, '\0');
      read(std::as_writable_bytes(std::span(text)));
      return text;
    };
    try {
      return read_npy_header(take);
    } catch (const NpyFormatError& error) {
      fail(error.what());
    }
  }

  void read(std::span<std::byte> to) {
    while (!to.empty()) {
      const zip_int64_t got = zip_fread(file_.get(), to.data(), to.size());
      if (got < 0) fail_with(zip_file_get_error(file_.get()));
      if (got == 0) fail(fmt::format("is truncated ({} bytes are missing)", left_));
      to = to.subspan(static_cast<std::size_t>(got));
      left_ -= std::min(left_, static_cast<std::uint64_t>(got));
    }
  }

  // libzip checks the CRC only when a read reaches the end of the data.
  void expect_end() {
    std::byte beyond;
    const zip_int64_t got = zip_fread(file_.get(), &beyond, 1);
    if (got < 0) fail_with(zip_file_get_error(file_.get()));
    if (got > 0) fail("is damaged (it continues after its end)");
  }

  // Remaining bytes according to the archive's directory.
  std::uint64_t left() const { return left_; }

  [[noreturn]] void fail(std::string_view what) const {
    throw Error(fmt::format("{} {}", label_, what));
  }

 private:
  // Memory is allocated according to these sizes, so they must be plausible: stored data is no
  // longer than the file, and unpacked data is in proportion.
  void check_sizes(const zip_stat_t& status, std::uint64_t archive_bytes) const {
    if (status.comp_method != ZIP_CM_STORE && status.comp_method != ZIP_CM_DEFLATE) {
      fail(fmt::format("is compressed by method {}, expected 0 (stored) or 8 (deflate)",
                       status.comp_method));
    }
    const bool is_stored = status.comp_method == ZIP_CM_STORE;
    if (status.comp_size > archive_bytes || (is_stored && status.size != status.comp_size) ||
        status.size > kInflationSlack + kMaxInflation * status.comp_size) {
      fail(fmt::format("is damaged (declares {} bytes, {} compressed, but the archive has only {})",
                       status.size, status.comp_size, archive_bytes));
    }
    if (is_bomb(status.comp_size, status.size)) {
      fail(
          fmt::format("expands from {} bytes to {}; if that is intended, write it without "
                      "compression (numpy.savez)",
                      status.comp_size, status.size));
    }
  }

  [[noreturn]] void fail_with(zip_error_t* error) const {
    fail(fmt::format("cannot be read: {}", zip_error_strerror(error)));
  }

  std::string label_;
  std::unique_ptr<zip_file_t, ZipFileCloser> file_;
  std::uint64_t left_ = 0;
};

// The member must contain exactly what the header declares.
void check_length(const Member& member, const NpyHeader& header, std::size_t bytes_each) {
  const std::optional<std::uint64_t> bytes = array_bytes(header.shape, bytes_each);
  if (!bytes) member.fail(fmt::format("has the impossible shape {}", format_shape(header.shape)));
  if (*bytes != member.left()) {
    member.fail(fmt::format("is {} (the header declares {} bytes, the archive contains {})",
                            *bytes > member.left() ? "truncated" : "damaged", *bytes,
                            member.left()));
  }
}

ElementType check_header(const Member& member, const NpyHeader& header) {
  if (header.dtype.find('O') != std::string::npos) {
    member.fail("contains pickled Python objects, which are not supported");
  }
  const std::optional<ElementType> type = parse_element_type(header.dtype);
  if (!type) member.fail(fmt::format("has dtype {}, which is not supported", header.dtype));
  check_length(member, header, type->bytes);
  return *type;
}

template <class T>
std::vector<T> allocate(const Member& member, std::size_t count) {
  // A larger allocation would succeed here, and the process would be killed when it touches the
  // pages.
  if (count > physical_memory() / sizeof(T)) {
    member.fail(fmt::format("needs more memory than this machine has ({} elements)", count));
  }
  try {
    return std::vector<T>(count);
  } catch (const std::exception&) {
    member.fail(fmt::format("needs more memory than is available ({} elements)", count));
  }
}

// Converts chunk by chunk, so that the peak is the result and a chunk, not the result twice.
template <class S, class T>
std::vector<T> read_elements(Member& member, const NpyHeader& header, bool is_swapped) {
  const std::size_t count = member.left() / sizeof(S);
  const auto total_bytes = static_cast<std::int64_t>(member.left());
  std::vector<T> result = allocate<T>(member, count);
  std::vector<std::byte> chunk(std::min(count * sizeof(S), kChunkBytes));
  // With one axis both orders are the same; an empty array may have other axes of any length.
  const bool is_scattered = header.fortran_order && header.shape.size() > 1 && count > 0;
  FortranOrder fortran(is_scattered ? header.shape : std::vector<std::int64_t>{});
  for (std::size_t done = 0; done < count;) {
    const std::size_t now = std::min(count - done, chunk.size() / sizeof(S));
    member.read(std::span(chunk).first(now * sizeof(S)));
    for (std::size_t i = 0; i < now; ++i) {
      const S stored = load_stored<S>(chunk.data() + i * sizeof(S), is_swapped);
      result[is_scattered ? fortran.next() : done + i] = convert_stored<T>(stored);
    }
    done += now;
    report_progress("reading", static_cast<std::int64_t>(done * sizeof(S)), total_bytes);
  }
  member.expect_end();
  return result;
}

// The text of one element, without its zero padding.
std::string decode_text(std::span<const std::byte> stored, bool is_unicode, bool is_swapped) {
  std::string text;
  if (!is_unicode) {
    text.assign(reinterpret_cast<const char*>(stored.data()), stored.size());
    text.resize(text.find_last_not_of('\0') + 1);  // npos + 1 is 0
    return text;
  }
  std::size_t points = stored.size() / sizeof(std::uint32_t);
  const auto point = [&](std::size_t i) {
    return load_stored<std::uint32_t>(stored.data() + i * sizeof(std::uint32_t), is_swapped);
  };
  while (points > 0 && point(points - 1) == 0) --points;
  for (std::size_t i = 0; i < points; ++i) append_utf8(text, point(i));
  return text;
}

// Text as NumPy has it, all of one width: <U7 is seven code points, |S7 seven bytes. Nothing for
// other types.
struct TextType {
  bool is_unicode, is_swapped;
  std::size_t bytes;
};
std::optional<TextType> parse_text_type(const std::string& dtype) {
  if (dtype.size() < 3 || (dtype[1] != 'U' && dtype[1] != 'S')) return std::nullopt;
  std::uint32_t width = 0;
  const char* const end = dtype.data() + dtype.size();
  const auto [stop, error] = std::from_chars(dtype.data() + 2, end, width);
  if (error != std::errc() || stop != end || width == 0) return std::nullopt;
  const bool is_little = std::endian::native == std::endian::little;
  return TextType{dtype[1] == 'U', dtype[0] == (is_little ? '>' : '<'),
                  std::size_t{width} * (dtype[1] == 'U' ? sizeof(std::uint32_t) : 1)};
}

void check_archive_file(InputFile& file) {
  const auto fail = [&](const char* what) {
    throw Error(fmt::format("{}: {}", file.path().string(), what));
  };
  if (!file.is_regular()) fail("not a regular file, expected an .npz archive");
  if (file.size() == 0) fail("is empty, expected an .npz archive");
  std::array<char, 2> magic{};
  if (file.read(magic) < magic.size() || magic != std::array{'P', 'K'}) {
    fail("not an .npz archive (it does not start with the letters PK)");
  }
}

}  // namespace

struct NpzReader::Impl {
  std::filesystem::path path;
  std::unique_ptr<zip_t, ZipArchiveCloser> archive;
  std::map<std::string, std::uint64_t> members;  // by name, without the suffix
  std::uint64_t archive_bytes = 0;

  void open() {
    InputFile file(path);
    check_archive_file(file);
    archive_bytes = static_cast<std::uint64_t>(file.size());
    int code = 0;
    archive.reset(zip_open(path.c_str(), ZIP_RDONLY, &code));
    if (archive) return;
    zip_error_t error;
    zip_error_init_with_code(&error, code);
    const std::string reason = zip_error_strerror(&error);
    zip_error_fini(&error);
    throw Error(
        fmt::format("{}: not an .npz archive (damaged or truncated: {})", path.string(), reason));
  }

  // If a name occurs twice, the later one is used, as in NumPy.
  void list_members() {
    const zip_int64_t count = zip_get_num_entries(archive.get(), 0);
    for (zip_int64_t i = 0; i < count; ++i) {
      const auto index = static_cast<std::uint64_t>(i);
      const char* name = zip_get_name(archive.get(), index, ZIP_FL_ENC_RAW);
      if (name == nullptr || !std::string_view(name).ends_with(kSuffix)) continue;
      const std::string_view text(name);
      members[std::string(text.substr(0, text.size() - kSuffix.size()))] = index;
    }
  }

  Member open_member(const std::string& name) const {
    const auto found = members.find(name);
    if (found == members.end()) {
      throw Error(
          fmt::format("{}: no array named '{}' (has: {})", path.string(), name, list_of_names()));
    }
    return Member(archive.get(), found->second, fmt::format("{}: array '{}'", path.string(), name),
                  archive_bytes);
  }

  std::string list_of_names() const {
    if (members.empty()) return "no arrays";
    std::vector<std::string> shown;
    for (const auto& [name, index] : members) {
      if (shown.size() == kMaxNamesShown) {
        shown.emplace_back("...");
        break;
      }
      shown.push_back(name);
      const auto is_control = [](unsigned char c) { return c < ' ' || c == 127; };
      std::ranges::replace_if(shown.back(), is_control, '?');
    }
    return fmt::format("{}", fmt::join(shown, ", "));
  }
};

NpzReader::NpzReader(std::filesystem::path path) : impl_(std::make_unique<Impl>()) {
  impl_->path = std::move(path);
  impl_->open();
  impl_->list_members();
}

NpzReader::~NpzReader() = default;

std::vector<std::string> NpzReader::names() const {
  std::vector<std::string> names;
  for (const auto& [name, index] : impl_->members) names.push_back(name);
  return names;
}

bool NpzReader::contains(const std::string& name) const { return impl_->members.contains(name); }

ArrayInfo NpzReader::info(const std::string& name) const {
  Member member = impl_->open_member(name);
  NpyHeader header = member.read_header();
  const std::optional<ElementType> type = parse_element_type(header.dtype);
  const std::optional<TextType> text = parse_text_type(header.dtype);
  if (type || text) check_length(member, header, type ? type->bytes : text->bytes);
  return {std::move(header.dtype), std::move(header.shape)};
}

template <class T>
Array<T> NpzReader::read(const std::string& name) const {
  Member member = impl_->open_member(name);
  NpyHeader header = member.read_header();
  const ElementType type = check_header(member, header);
  Array<T> array;
  try {
    visit_stored_type(type, [&](auto stored) {
      using S = typename decltype(stored)::type;
      if constexpr (kIsReadableAs<S, T>) {
        array.data = read_elements<S, T>(member, header, type.is_swapped);
      } else {
        member.fail(fmt::format("has dtype {}, expected {}", header.dtype, expected_kind<T>()));
      }
    });
  } catch (const NpyFormatError& error) {
    member.fail(error.what());
  }
  array.shape = std::move(header.shape);
  return array;
}

std::vector<std::string> NpzReader::read_strings(const std::string& name) const {
  Member member = impl_->open_member(name);
  const NpyHeader header = member.read_header();
  if (header.shape.size() != 1) {
    member.fail(fmt::format("has shape {}, expected one dimension", format_shape(header.shape)));
  }
  std::vector<std::string> result;
  if (parse_element_type(header.dtype)) {
    for (const std::int64_t value : read<std::int64_t>(name).data) {
      result.push_back(fmt::format_int(value).str());
    }
    return result;
  }
  if (header.shape[0] == 0) return result;
  const std::optional<TextType> type = parse_text_type(header.dtype);
  if (!type) member.fail(fmt::format("has dtype {}, expected strings or integers", header.dtype));
  check_length(member, header, type->bytes);
  result = allocate<std::string>(member, static_cast<std::size_t>(header.shape[0]));
  std::vector<std::byte> stored(type->bytes);
  for (std::size_t i = 0; i < result.size(); ++i) {
    member.read(stored);
    result[i] = decode_text(stored, type->is_unicode, type->is_swapped);
    if (i % kReportedTexts == 0) {
      report_progress("reading", static_cast<std::int64_t>(i), header.shape[0]);
    }
  }
  member.expect_end();
  return result;
}

template Array<double> NpzReader::read(const std::string&) const;
template Array<float> NpzReader::read(const std::string&) const;
template Array<std::int64_t> NpzReader::read(const std::string&) const;
template Array<std::int32_t> NpzReader::read(const std::string&) const;
template Array<std::uint8_t> NpzReader::read(const std::string&) const;
template Array<std::complex<double>> NpzReader::read(const std::string&) const;

const std::filesystem::path& NpzReader::path() const { return impl_->path; }

}  // namespace dsnn
