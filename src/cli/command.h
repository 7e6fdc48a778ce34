#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace dsnn::cli {

/// What the chosen subcommand does once its options are read; the result is the exit code.
using Action = std::function<int()>;

// One file each. They add a subcommand to `app` that puts its work into `action`.
void add_convert(CLI::App& app, Action& action);
void add_datasets(CLI::App& app, Action& action);
void add_evaluate(CLI::App& app, Action& action);
void add_generate(CLI::App& app, Action& action);
void add_info(CLI::App& app, Action& action);
void add_laplacian(CLI::App& app, Action& action);
void add_models(CLI::App& app, Action& action);
void add_predict(CLI::App& app, Action& action);
void add_reproduce(CLI::App& app, Action& action);
void add_sweep(CLI::App& app, Action& action);
void add_sweep_report(CLI::App& app, Action& action);
void add_spectrum(CLI::App& app, Action& action);
void add_train(CLI::App& app, Action& action);
void add_verify(CLI::App& app, Action& action);

}  // namespace dsnn::cli
