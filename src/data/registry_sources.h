#pragma once

#include "dsnn/data/registry.h"

#include <string_view>
#include <vector>

namespace dsnn {

/// The public source files of a dataset, with sizes and hashes; empty for kNone.
std::vector<DatasetSource> dataset_sources(std::string_view name, SourceKind kind);

}  // namespace dsnn
