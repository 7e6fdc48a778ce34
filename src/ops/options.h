#pragma once

#include "dsnn/ops/options.h"
#include "dsnn/sheaf/laplacian.h"
#include "dsnn/sheaf/sheaf.h"

#include "ops/checks.h"

#include <string_view>

namespace dsnn::ops {

// Options travel through the dispatcher by name.
std::string_view name_of(MapActivation activation);
MapActivation map_activation(const Checks& checks, std::string_view name);

std::string_view name_of(MapFamily family);
MapFamily map_family(const Checks& checks, std::string_view name);

std::string_view name_of(Normalisation normalisation);
Normalisation normalisation(const Checks& checks, std::string_view name);
std::string_view name_of(OrthogonalMethod method);
OrthogonalMethod orthogonal_method(const Checks& checks, std::string_view name);

std::string_view name_of(StalkActivation activation);
StalkActivation stalk_activation(const Checks& checks, std::string_view name);

}  // namespace dsnn::ops
