#pragma once

#include "dsnn/sweep/space.h"

#include <optional>
#include <string>

namespace dsnn {

/// A space as stored in sweep.sqlite.
std::string space_json(const SearchSpace& space);
SearchSpace space_from_json(const std::string& text);
/// The first parameter, or part of the method, in which two spaces differ, and how; empty if they
/// do not.
std::string space_difference(const SearchSpace& there, const SearchSpace& here);

std::string method_name(SweepMethod method);
/// Nothing for an unknown word.
std::optional<SweepMethod> find_method(const std::string& name);

}  // namespace dsnn
