#pragma once

#include <filesystem>
#include <string>

namespace dsnn {

/// The SHA-256 of a file, as 64 hexadecimal digits.
std::string sha256_of_file(const std::filesystem::path& path);

}  // namespace dsnn
