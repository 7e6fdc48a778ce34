#pragma once

#include <filesystem>
#include <string>

namespace dsnn::cli {

/// Whether the folder contains a sweep.
bool is_sweep(const std::filesystem::path& folder);

/// Writes the page of a sweep, by default into its folder. Returns the exit code.
int report_sweep(const std::filesystem::path& folder, const std::string& output);

}  // namespace dsnn::cli
