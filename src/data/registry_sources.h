#pragma once

#include "dsnn/data/registry.h"

#include <string_view>
#include <vector>

namespace dsnn {

/// Where the public originals of a dataset are, and how to know them; empty for kNone.
std::vector<DatasetSource> dataset_sources(std::string_view name, SourceKind kind);

}  // namespace dsnn
