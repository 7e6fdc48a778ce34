#pragma once

#include "cli/command_line.h"

#include <functional>

namespace dsnn::cli {

/// What the chosen subcommand does once its options are read; the result is the exit code.
using Action = std::function<int()>;

// One file each. They add a subcommand to `app` that puts its work into `action`.
void add_convert(Command& app, Action& action);
void add_datasets(Command& app, Action& action);
void add_evaluate(Command& app, Action& action);
void add_generate(Command& app, Action& action);
void add_info(Command& app, Action& action);
void add_laplacian(Command& app, Action& action);
void add_models(Command& app, Action& action);
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
