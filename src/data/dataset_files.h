#pragma once

#include "util/internal_api.h"

#include <filesystem>
#include <vector>

// The files that a dataset is read from, for commands that must not overwrite them.

namespace dsnn {

/// The files that read_dataset() reads: the file itself, or the existing files of a folder.
DSNN_INTERNAL_API std::vector<std::filesystem::path> dataset_files(
    const std::filesystem::path& path);

std::vector<std::filesystem::path> geom_gcn_files(const std::filesystem::path& folder);
std::vector<std::filesystem::path> ogb_files(const std::filesystem::path& folder);

}  // namespace dsnn
