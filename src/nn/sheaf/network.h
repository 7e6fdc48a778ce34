#pragma once

#include "dsnn/nn/model.h"
#include "dsnn/sheaf/sheaf.h"

#include <memory>
#include <vector>

namespace dsnn::nn {

/// The kind of sheaf network: the family and the field of its maps. Phase: DSNN; real: NSD;
/// complex: NSD-Compl.
struct SheafKind {
  MapFamily family;
  MapField field;
};

/// Parameters of all sheaf networks; q only with a phase.
std::vector<Parameter> sheaf_parameters(const SheafKind& kind);

std::unique_ptr<Model> make_sheaf_network(const SheafKind& kind, const ModelSetup& setup);

}  // namespace dsnn::nn
