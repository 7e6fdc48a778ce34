#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace dsnn {

/// Reads the files of a tar archive, plain or compressed, whose last path component is one of
/// `names`, into memory. Nothing is written to disk; links, folders and members with absolute paths
/// or `..` are ignored. Throws Error if a file is missing or occurs twice, or if the archive
/// unpacks to more than any of these datasets could need.
std::map<std::string, std::string> read_archive_members(const std::filesystem::path& path,
                                                        const std::vector<std::string>& names);

}  // namespace dsnn
