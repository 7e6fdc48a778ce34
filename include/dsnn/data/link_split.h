#pragma once

#include "dsnn/graph/directed_graph.h"

#include <vector>

namespace dsnn {

/// The arcs of a graph, divided for link prediction.
struct LinkSplit {
  std::vector<Arc> train, validation, test;
  /// Pairs without an arc to compare them with; empty if none are given.
  std::vector<Arc> train_negatives, validation_negatives, test_negatives;
};

}  // namespace dsnn
