#pragma once

#include <archive.h>
#include <archive_entry.h>

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace dsnn::testing {

struct TarMember {
  std::string name;
  std::string text = {};
  std::string link_to = {};  ///< makes it a symbolic link
  bool is_folder = false;
  std::optional<std::int64_t> claimed_bytes = {};  ///< instead of the length of the text
};

/// The bytes of a gzipped tar archive. The archive ends after a member with a false size.
inline std::string make_tar(const std::vector<TarMember>& members) {
  std::string bytes;
  archive* const a = archive_write_new();
  archive_write_add_filter_gzip(a);
  archive_write_set_filter_option(a, "gzip", "compression-level", "1");
  archive_write_set_format_gnutar(a);
  archive_write_set_bytes_in_last_block(a, 1);  // no padding behind what is packed
  const auto append = [](archive*, void* to, const void* data, std::size_t size) -> la_ssize_t {
    static_cast<std::string*>(to)->append(static_cast<const char*>(data), size);
    return static_cast<la_ssize_t>(size);
  };
  if (archive_write_open(a, &bytes, nullptr, append, nullptr) != ARCHIVE_OK) {
    throw std::runtime_error("cannot write an archive");
  }
  for (const TarMember& member : members) {
    archive_entry* const entry = archive_entry_new();
    archive_entry_set_pathname(entry, member.name.c_str());
    archive_entry_set_perm(entry, 0644);
    archive_entry_set_filetype(entry, member.is_folder          ? AE_IFDIR
                                      : !member.link_to.empty() ? AE_IFLNK
                                                                : AE_IFREG);
    if (!member.link_to.empty()) archive_entry_set_symlink(entry, member.link_to.c_str());
    archive_entry_set_size(
        entry, member.claimed_bytes.value_or(static_cast<std::int64_t>(member.text.size())));
    const bool is_ok = archive_write_header(a, entry) == ARCHIVE_OK;
    archive_entry_free(entry);
    if (!is_ok) throw std::runtime_error("cannot write " + member.name);
    archive_write_data(a, member.text.data(), member.text.size());
    if (member.claimed_bytes) archive_write_fail(a);
  }
  archive_write_close(a);
  archive_write_free(a);
  return bytes;
}

}  // namespace dsnn::testing
