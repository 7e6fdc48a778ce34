#pragma once

#include "dsnn/engine/program.h"
#include "dsnn/nn/input.h"

#include "nn/sheaf/options.h"

namespace dsnn::nn {

/// A sheaf as input of the diffusion: G and N of [eq:scaled-maps].
struct ScaledSheaf {
  engine::Value maps, diagonal;
};

/// The sheaf whose maps are all identities [eq:identity-sheaf], as constants.
ScaledSheaf identity_sheaf(const NetworkOptions& options, const Input& input,
                           engine::Program& program);

}  // namespace dsnn::nn
