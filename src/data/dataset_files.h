#pragma once

#include "util/internal_api.h"

#include <filesystem>
#include <vector>

// Which files a dataset is read from, for those who write others and must not overwrite them.

namespace dsnn {

/// Those of read_dataset(): the file itself, or the files of a folder that are there.
DSNN_INTERNAL_API std::vector<std::filesystem::path> dataset_files(
    const std::filesystem::path& path);

std::vector<std::filesystem::path> geom_gcn_files(const std::filesystem::path& folder);
std::vector<std::filesystem::path> ogb_files(const std::filesystem::path& folder);

}  // namespace dsnn
