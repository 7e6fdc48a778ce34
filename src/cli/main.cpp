#include "cli/command.h"
#include "cli/program.h"

int main(int argc, char** argv) {
  using namespace dsnn::cli;
  return run_program(argc, argv, [](Command& app, Action& action) {
#if defined(DSNN_HAS_LEARN)
    add_fit(app, action);
    add_train(app, action);
    add_evaluate(app, action);
    add_predict(app, action);
#if defined(DSNN_HAS_MPI)
    add_partition(app, action);
#endif
    add_report(app, action);
    add_heuristics(app, action);
    add_sweep(app, action);
    add_sweep_report(app, action);
    add_reproduce(app, action);
    add_models(app, action);
#endif
    add_info(app, action);
    add_convert(app, action);
    add_datasets(app, action);
    add_generate(app, action);
    add_verify(app, action);
    add_spectrum(app, action);
    add_laplacian(app, action);
  });
}
