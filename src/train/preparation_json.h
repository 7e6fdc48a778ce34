#pragma once

#include "dsnn/data/feature_preparation.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>

namespace dsnn {

/// A preparation as data.json of a run keeps it.
nlohmann::ordered_json to_json(const FeaturePreparation& preparation);

/// The preparation in the data.json of a run, also of runs from before there were others than
/// normalised rows; nothing if it is missing or damaged.
std::optional<FeaturePreparation> preparation_of(const nlohmann::ordered_json& data);

}  // namespace dsnn
