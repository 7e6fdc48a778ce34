#pragma once

#include "dsnn/nn/model.h"

namespace dsnn::nn {

/// Replaces the defaults of a model and of its training by those that do well on many graphs. A
/// model that nothing is known of keeps its own.
void set_chosen_defaults(ModelEntry& entry);

}  // namespace dsnn::nn
