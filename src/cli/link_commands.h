#pragma once

#include "dsnn/data/dataset.h"
#include "dsnn/train/ensemble.h"

#include <cstdint>
#include <string>

// What evaluate and predict do with runs of links, or ensembles of them.
namespace dsnn::cli {

/// The test scores of all splits of a run.
int evaluate_links(const Ensemble& ensemble, const Dataset& dataset, bool is_json);

/// The classes of the pairs in a CSV file.
int predict_pairs(const Ensemble& ensemble, int split, const Dataset& dataset,
                  const std::string& pairs, const std::string& output);
/// The most probable new arcs of each node.
int predict_top(const Ensemble& ensemble, int split, const Dataset& dataset, std::int64_t count,
                const std::string& output);

}  // namespace dsnn::cli
