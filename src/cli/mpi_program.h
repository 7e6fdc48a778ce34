#pragma once

#include "dsnn/parts/ranks.h"
#include "dsnn/train/run.h"

#include "cli/graph_arguments.h"

#include <functional>
#include <string>

namespace dsnn::cli {

/// Whether GRAPH is a folder of 'dsnn partition'.
bool is_in_parts(const GraphArguments& graph);

/// The run in a folder; throws Error for an ensemble, which needs the whole graph.
Run one_run(const std::string& folder);

/// Runs `work` on all processes of MPI and returns the exit code. An error of all is printed by the
/// first; an error of one is printed by it and ends all. Throws Error if dsnn was built without
/// MPI.
int run_on_ranks(const std::function<int(Ranks&)>& work);

}  // namespace dsnn::cli
