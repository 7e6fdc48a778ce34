#pragma once

#include "dsnn/data/dataset.h"

#include <filesystem>
#include <optional>

namespace dsnn {

/// read_dataset() for an `.npz` archive.
Dataset read_npz_dataset(const std::filesystem::path& path, std::optional<NodeId> num_nodes);

}  // namespace dsnn
