#include "fetch/archive.h"

#include "dsnn/util/error.h"
#include "dsnn/util/progress.h"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <memory>

namespace dsnn {
namespace {

// The largest member of the supported archives unpacks to about 20 MB.
constexpr std::int64_t kMaxMemberBytes = std::int64_t{128} << 20;
constexpr std::int64_t kMaxTotalBytes = std::int64_t{256} << 20;
constexpr std::int64_t kMaxMembers = 10'000;

struct ArchiveCloser {
  void operator()(archive* a) const { archive_read_free(a); }
};
using Archive = std::unique_ptr<archive, ArchiveCloser>;

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& what) {
  throw Error(fmt::format("{}: {}", path.string(), what));
}

[[noreturn]] void fail_reading(const std::filesystem::path& path, archive* a) {
  const char* reason = archive_error_string(a);
  fail(path, fmt::format("is not a readable tar archive: {}",
                         reason == nullptr ? "unknown reason" : reason));
}

[[noreturn]] void fail_size(const std::filesystem::path& path) {
  fail(path, fmt::format("unpacks to more than {} MB or {} files, more than any known dataset",
                         kMaxTotalBytes >> 20, kMaxMembers));
}

// Unpacked with zlib, not libarchive, because only zlib checks gzip's checksum: the only check of
// an archive without a known hash.
std::string unpack(const std::filesystem::path& path) {
  const std::unique_ptr<gzFile_s, decltype(&gzclose)> file(gzopen(path.c_str(), "rb"), &gzclose);
  if (!file) fail(path, "cannot be opened");
  std::string bytes;
  std::vector<char> buffer(std::size_t{1} << 20);
  for (;;) {
    report_progress("unpacking", static_cast<std::int64_t>(bytes.size()), 0);
    const int got = gzread(file.get(), buffer.data(), static_cast<unsigned>(buffer.size()));
    if (got > 0) bytes.append(buffer.data(), static_cast<std::size_t>(got));
    if (static_cast<std::int64_t>(bytes.size()) > kMaxTotalBytes) fail_size(path);
    if (got == static_cast<int>(buffer.size())) continue;
    int code = Z_OK;
    const char* reason = gzerror(file.get(), &code);
    if (code != Z_OK) fail(path, fmt::format("is damaged or truncated: {}", reason));
    if (got == 0) return bytes;
  }
}

Archive open(const std::filesystem::path& path, const std::string& bytes) {
  Archive a(archive_read_new());
  if (!a || archive_read_support_format_tar(a.get()) != ARCHIVE_OK ||
      archive_read_open_memory(a.get(), bytes.data(), bytes.size()) != ARCHIVE_OK) {
    fail_reading(path, a.get());
  }
  return a;
}

bool has_plain_path(const std::filesystem::path& member) {
  return !member.is_absolute() &&
         std::ranges::none_of(member, [](const auto& part) { return part == ".."; });
}

std::string read_member(const std::filesystem::path& path, archive* a, const std::string& name) {
  std::string text;
  std::vector<char> buffer(std::size_t{1} << 20);
  for (;;) {
    const la_ssize_t got = archive_read_data(a, buffer.data(), buffer.size());
    if (got < 0) fail_reading(path, a);
    if (got == 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(got));
    if (static_cast<std::int64_t>(text.size()) > kMaxMemberBytes) {
      fail(path,
           fmt::format("member '{}' unpacks to more than {} MB", name, kMaxMemberBytes >> 20));
    }
  }
}

}  // namespace

std::map<std::string, std::string> read_archive_members(const std::filesystem::path& path,
                                                        const std::vector<std::string>& names) {
  std::map<std::string, std::string> members;
  const std::string bytes = unpack(path);
  const Archive a = open(path, bytes);
  std::int64_t num_members = 0;
  for (archive_entry* entry = nullptr;;) {
    const int status = archive_read_next_header(a.get(), &entry);
    if (status == ARCHIVE_EOF) break;
    if (status < ARCHIVE_WARN) fail_reading(path, a.get());
    // A sparse member can declare any size.
    const std::int64_t size = archive_entry_size(entry);
    if (size < 0 || size > kMaxTotalBytes || ++num_members > kMaxMembers) fail_size(path);
    const char* raw_name = archive_entry_pathname(entry);
    const std::filesystem::path member = raw_name == nullptr ? "" : raw_name;
    const std::string name = member.filename().string();
    const bool is_file =
        archive_entry_filetype(entry) == AE_IFREG && archive_entry_hardlink(entry) == nullptr;
    if (!is_file || !has_plain_path(member) || std::ranges::find(names, name) == names.end()) {
      continue;
    }
    if (members.contains(name)) fail(path, fmt::format("has '{}' twice", name));
    members[name] = read_member(path, a.get(), name);
  }
  for (const std::string& name : names) {
    if (!members.contains(name)) fail(path, fmt::format("does not contain the file '{}'", name));
  }
  return members;
}

}  // namespace dsnn
