#pragma once

#include "dsnn/engine/program.h"
#include "dsnn/nn/input.h"
#include "dsnn/nn/magnetic.h"

#include "nn/sheaf/options.h"

#include <memory>

namespace dsnn::nn {

/// A sheaf as input of the diffusion: G and N of [eq:scaled-maps]; or L_N itself, the same for all
/// stalk dimensions.
struct ScaledSheaf {
  engine::Value maps, diagonal;
  std::shared_ptr<const HermitianMatrix> laplacian = {};
};

/// The sheaf whose maps are all identities [eq:identity-sheaf], as constants: L_N with a phase
/// whose charge is not learned, else G and N, whose gather is faster without a phase. Callers share
/// L_N while one of them holds it.
ScaledSheaf identity_sheaf(const NetworkOptions& options, const Input& input,
                           engine::Program& program);

}  // namespace dsnn::nn
