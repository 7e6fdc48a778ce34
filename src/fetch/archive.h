#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace dsnn {

/// Reads the files of a tar archive, plain or packed, whose last path component is one of `names`,
/// into memory; nothing is ever unpacked to the disk, and links, folders and members with absolute
/// or climbing paths do not count. Throws Error if one is missing or there twice, or if the archive
/// unpacks to more than any of these datasets could need.
std::map<std::string, std::string> read_archive_members(const std::filesystem::path& path,
                                                        const std::vector<std::string>& names);

}  // namespace dsnn
