#pragma once

#include "dsnn/data/dataset.h"
#include "dsnn/train/ensemble.h"

#include <string>

namespace dsnn {

/// The page about a run of links: scores and ranks of the test pairs, learning curves, and the most
/// probable arcs that are missing.
std::string link_report(const Ensemble& ensemble, const Dataset& dataset);

}  // namespace dsnn
