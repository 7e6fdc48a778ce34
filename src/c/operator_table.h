#pragma once

#include "dsnn/engine/operator.h"
#include "dsnn/engine/sparse_matrix.h"

#include "c/options.h"

#include <span>
#include <vector>

namespace dsnn::engine {
class Graph;
}

namespace dsnn::c {

/// What an operator is created from.
struct OperatorSetup {
  Options& options;
  const engine::Graph* graph = nullptr;
  const engine::SparseMatrix* matrix = nullptr;
};

/// An operator under the name that callers use.
struct OperatorEntry {
  const char* name;
  /// Names of its arguments; empty: any number of arguments of the same kind.
  std::vector<const char*> arguments;
  bool takes_graph = false, takes_matrix = false;
  engine::OperatorPtr (*make)(const OperatorSetup&);
};

/// All of docs/operators.md except cross_entropy, which is created from arrays.
std::span<const OperatorEntry> operator_table();
/// Throws Error with the nearest name if the name is unknown.
const OperatorEntry& find_operator(const std::string& name);

}  // namespace dsnn::c
