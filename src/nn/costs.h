#pragma once

#include "dsnn/nn/model.h"

namespace dsnn::nn {

/// Sets the relative cost of a model that has been measured.
void set_measured_cost(ModelEntry& entry);

}  // namespace dsnn::nn
