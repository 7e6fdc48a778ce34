#pragma once

#include "dsnn/data/dataset.h"

#include <nlohmann/json.hpp>

namespace dsnn::cli {

/// All that `dsnn info` tells of a dataset.
nlohmann::ordered_json describe(const Dataset& dataset);

/// The same as lines of text, made from the JSON, so that the two cannot disagree.
void print_description(const nlohmann::ordered_json& description);

}  // namespace dsnn::cli
