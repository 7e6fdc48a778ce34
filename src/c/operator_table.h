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

/// What an operator is made from.
struct OperatorSetup {
  Options& options;
  const engine::Graph* graph = nullptr;
  const engine::SparseMatrix* matrix = nullptr;
};

/// An operator as callers name it.
struct OperatorEntry {
  const char* name;
  /// Names of its arguments; none: any number of arguments of one kind.
  std::vector<const char*> arguments;
  bool takes_graph = false, takes_matrix = false;
  engine::OperatorPtr (*make)(const OperatorSetup&);
};

/// All of docs/operators.md but cross_entropy, which is made from arrays.
std::span<const OperatorEntry> operator_table();
/// Throws Error with the nearest name if there is none.
const OperatorEntry& find_operator(const std::string& name);

}  // namespace dsnn::c
