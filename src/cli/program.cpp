#include "cli/program.h"

#include "dsnn/util/progress.h"
#include "dsnn/version.h"
#if defined(DSNN_HAS_LEARN)
#include "dsnn/train/arithmetic.h"
#endif

#include "cli/terminal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>

namespace {

constexpr int kFailure = 1;
constexpr int kUsage = 2;
constexpr int kCancelled = 130;

/// Prints one line, even if file names in it contain line breaks.
int fail(int code, std::string message) {
  std::ranges::replace_if(
      message, [](unsigned char c) { return c < ' ' || c == 127; }, '?');
  dsnn::cli::print_error(fmt::format("dsnn: {}\n", message));
  return code;
}

/// The second line explains why results differ from those of other machines.
std::string version_text() {
  std::string text = "dsnn " DSNN_VERSION;
#if defined(DSNN_HAS_LEARN)
  if (dsnn::Arithmetic::current().rounding != "fused") {
    text +=
        "\nno fused multiply-add: training results differ in the last digits from those of "
        "machines "
        "that have it";
  }
#endif
  return text;
}

int run(int argc, char** argv, const dsnn::cli::AddCommands& add_commands) {
  dsnn::cli::CommandLine line("dsnn", "Learning on directed graphs with sheaf neural networks.",
                              version_text);
  line.program().require_subcommand(1);
  line.program().footer("'dsnn COMMAND --help' explains a command with examples.");
  dsnn::cli::Action action;
  add_commands(line.program(), action);
  if (argc == 1) {
    fmt::print("{}", line.help());
    return 0;
  }
  using Kind = dsnn::cli::CommandLine::Outcome::Kind;
  const auto [kind, text] = line.read(argc, argv);
  if (kind == Kind::kMistake) return fail(kUsage, text);
  if (kind == Kind::kText) {
    fmt::print("{}", text);  // not by std::cout, which does not report a full disk
    return 0;
  }
  dsnn::cli::install_signal_handlers();
  const dsnn::cli::ProgressDisplay progress;
  return action();
}

std::string& cancelled_text_instance() {
  static std::string text = "cancelled; no output was written";
  return text;
}

}  // namespace

void dsnn::cli::set_cancelled_text(std::string text) {
  cancelled_text_instance() = std::move(text);
}

int dsnn::cli::run_program(int argc, char** argv, const AddCommands& add_commands) {
  open_standard_streams();
  int code = kFailure;
  try {
    code = run(argc, argv, add_commands);
  } catch (const std::bad_alloc&) {
    return fail(kFailure, "not enough memory for this graph and these options");
  } catch (const std::exception& error) {
    // Whatever error the interrupted call raised, the user asked to stop.
    if (is_cancel_requested()) return fail(kCancelled, cancelled_text_instance());
    return fail(kFailure, error.what());
  }
  if (std::fflush(stdout) != 0) {
    return fail(kFailure, fmt::format("cannot write to standard output: {}", std::strerror(errno)));
  }
  return code;
}
