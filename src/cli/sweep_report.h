#pragma once

#include <filesystem>
#include <string>

namespace dsnn::cli {

/// Whether there is a sweep in the folder.
bool is_sweep(const std::filesystem::path& folder);

/// Writes the page of a sweep; without a name, into its folder. The result is the exit code.
int report_sweep(const std::filesystem::path& folder, const std::string& output);

}  // namespace dsnn::cli
