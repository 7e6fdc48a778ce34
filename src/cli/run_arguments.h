#pragma once

#include "dsnn/train/run.h"

#include "cli/graph_arguments.h"

#include <string>

namespace dsnn::cli {

/// Exit code of a command that completed only a part of its work.
inline constexpr int kPartFailed = 3;

/// The graph to use a run on: the given one, else the dataset of the run. Throws Error if that is
/// not found by its name.
GraphArguments graph_of_run(const GraphArguments& given, const Run& run, const std::string& folder);

/// Warns on stderr if the models are from an interrupted training.
void warn_if_unfinished(const Run& run, const std::string& folder);

/// Notes on stderr that --resume found nothing to continue: the folder's name may be mistyped.
void note_if_new(const std::string& folder, const char* file, const char* what);

}  // namespace dsnn::cli
