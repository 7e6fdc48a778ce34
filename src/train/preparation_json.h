#pragma once

#include "dsnn/data/feature_preparation.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>

namespace dsnn {

/// A preparation as stored in data.json of a run.
nlohmann::ordered_json to_json(const FeaturePreparation& preparation);

/// The preparation in data.json of a run, including old runs, which only have normalised rows;
/// nothing if it is missing or damaged.
std::optional<FeaturePreparation> preparation_of(const nlohmann::ordered_json& data);

}  // namespace dsnn
