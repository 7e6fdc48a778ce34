#pragma once

#include "dsnn/data/dataset.h"
#include "dsnn/data/registry.h"

#include "util/internal_api.h"

#include <filesystem>
#include <string>

namespace dsnn {

/// How a dataset differs from what the registry says: "2 nodes, expected 183; 1 arcs, expected
/// 309"; empty if it does not.
DSNN_INTERNAL_API std::string size_differences(const DatasetEntry& entry, const Dataset& dataset);

/// Why a file is not the dataset of that entry, after its path: it cannot be read, or is of other
/// sizes; empty if it may well be.
DSNN_INTERNAL_API std::string file_fault(const DatasetEntry& entry,
                                         const std::filesystem::path& path);

}  // namespace dsnn
