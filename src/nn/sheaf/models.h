#pragma once

#include "dsnn/nn/model.h"

#include <vector>

namespace dsnn::nn {

/// DSNN, NSD and NSD-Compl with diagonal, orthogonal and general maps; sheaf attention and
/// non-linear sheaf diffusion, with and without the phase.
std::vector<ModelDefinition> sheaf_models();

}  // namespace dsnn::nn
