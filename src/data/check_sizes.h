#pragma once

#include "dsnn/data/dataset.h"
#include "dsnn/data/registry.h"

#include "util/internal_api.h"

#include <filesystem>
#include <string>

namespace dsnn {

/// How the sizes of a dataset differ from the registry: "2 nodes, expected 183; 1 arcs, expected
/// 309"; empty if they agree.
DSNN_INTERNAL_API std::string size_differences(const DatasetEntry& entry, const Dataset& dataset);

/// Why a file is not the dataset of that entry: it cannot be read, or has other sizes; empty if it
/// may be the dataset.
DSNN_INTERNAL_API std::string file_fault(const DatasetEntry& entry,
                                         const std::filesystem::path& path);

}  // namespace dsnn
