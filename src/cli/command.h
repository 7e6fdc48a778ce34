#pragma once

#include "cli/command_line.h"

#include <functional>

namespace dsnn::cli {

/// Runs the chosen subcommand once its options are read; returns the exit code.
using Action = std::function<int()>;

// One file each. Each adds a subcommand to `app` whose callback sets `action`.
void add_convert(Command& app, Action& action);
void add_datasets(Command& app, Action& action);
void add_evaluate(Command& app, Action& action);
void add_generate(Command& app, Action& action);
void add_heuristics(Command& app, Action& action);
void add_info(Command& app, Action& action);
void add_laplacian(Command& app, Action& action);
void add_models(Command& app, Action& action);
void add_partition(Command& app, Action& action);
void add_predict(Command& app, Action& action);
void add_report(Command& app, Action& action);
void add_reproduce(Command& app, Action& action);
void add_fit(Command& app, Action& action);
void add_sweep(Command& app, Action& action);
void add_sweep_report(Command& app, Action& action);
void add_spectrum(Command& app, Action& action);
void add_train(Command& app, Action& action);
void add_verify(Command& app, Action& action);

}  // namespace dsnn::cli
