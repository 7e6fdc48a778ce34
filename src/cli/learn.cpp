#include "dsnn/ops/memory.h"

#include "cli/program.h"

// The commands that need LibTorch.
int main(int argc, char** argv) {
  dsnn::ops::use_large_pages();
  return dsnn::cli::run_program(argc, argv, [](CLI::App& app, dsnn::cli::Action& action) {
    dsnn::cli::add_train(app, action);
    dsnn::cli::add_evaluate(app, action);
    dsnn::cli::add_predict(app, action);
    dsnn::cli::add_sweep(app, action);
    dsnn::cli::add_sweep_report(app, action);
    dsnn::cli::add_reproduce(app, action);
    dsnn::cli::add_models(app, action);
  });
}
