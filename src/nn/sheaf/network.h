#pragma once

#include "dsnn/nn/model.h"
#include "dsnn/sheaf/sheaf.h"

#include <memory>
#include <vector>

namespace dsnn::nn {

/// What a layer does with the sheaf.
enum class Propagation {
  kDiffusion,  ///< the Laplacian, or a polynomial of it
  kAttention,  ///< sheaf attention
  kNonlinear   ///< non-linear sheaf diffusion; the family is a parameter
};

/// The kind of sheaf network: the family and the field of its maps. Phase: DSNN; real: NSD;
/// complex: NSD-Compl.
struct SheafKind {
  MapFamily family;
  MapField field;
  Propagation propagation = Propagation::kDiffusion;
};

/// The parameters of a sheaf network; q only with a phase.
std::vector<Parameter> sheaf_parameters(const SheafKind& kind);

std::unique_ptr<Model> make_sheaf_network(const SheafKind& kind, const ModelSetup& setup);

}  // namespace dsnn::nn
