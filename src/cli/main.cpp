#include "cli/learn_commands.h"
#include "cli/program.h"
#include "cli/terminal.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace {

namespace fs = std::filesystem;

bool is_learn_command(const std::string& word) {
  for (const dsnn::cli::LearnCommand& command : dsnn::cli::kLearnCommands) {
    if (word == command.name) return true;
  }
  return false;
}

/// OpenMP's threads wait for the next loop by spinning. GNU's spin so long that, where other
/// programs use the same cores, they keep each other from working: an epoch on a small graph then
/// takes ten times as long. Shorter, and the difference on an idle machine is a few percent. The
/// library reads this when it is loaded, so it must be there before the other program starts.
void shorten_spinning() {
  if (std::getenv("OMP_WAIT_POLICY") != nullptr) return;
  constexpr bool kReplace = false;
  ::setenv("GOMP_SPINCOUNT", "1000", kReplace);
}

/// Commands that need LibTorch are another program's, which is found beside this one or, installed,
/// in ../libexec/dsnn: loading LibTorch takes longer than most commands here take to finish.
int run_learn(char** argv) {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  const fs::path folder = self.parent_path();
  for (const fs::path& program :
       {folder / "dsnn-learn", folder.parent_path() / "libexec" / "dsnn" / "dsnn-learn"}) {
    if (!fs::exists(program, error)) continue;
    shorten_spinning();
    ::execv(program.c_str(), argv);
    dsnn::cli::print_error(
        fmt::format("dsnn: {}: cannot run: {}\n", program.string(), std::strerror(errno)));
    return 1;
  }
  dsnn::cli::print_error(fmt::format(
      "dsnn: '{}' needs dsnn-learn beside {}, which this build lacks (DSNN_BUILD_TORCH)\n", argv[1],
      self.string()));
  return 1;
}

void add_commands(CLI::App& app, dsnn::cli::Action& action) {
  for (const dsnn::cli::LearnCommand& command : dsnn::cli::kLearnCommands) {
    app.add_subcommand(command.name, command.help);
  }
  dsnn::cli::add_info(app, action);
  dsnn::cli::add_convert(app, action);
  dsnn::cli::add_datasets(app, action);
  dsnn::cli::add_generate(app, action);
  dsnn::cli::add_verify(app, action);
  dsnn::cli::add_spectrum(app, action);
  dsnn::cli::add_laplacian(app, action);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && is_learn_command(argv[1])) return run_learn(argv);
  return dsnn::cli::run_program(argc, argv, add_commands);
}
