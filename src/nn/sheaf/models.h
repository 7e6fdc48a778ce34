#pragma once

#include "nn/definition.h"

#include <vector>

namespace dsnn::nn {

/// DSNN, NSD and NSD-Compl with diagonal, orthogonal and general maps.
std::vector<ModelDefinition> sheaf_models();

}  // namespace dsnn::nn
