#include "cli/program.h"

#include "dsnn/util/progress.h"
#include "dsnn/version.h"

#include "cli/terminal.h"
#include "util/suggest.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <sstream>

namespace {

constexpr int kFailure = 1;
constexpr int kUsage = 2;
constexpr int kCancelled = 130;

/// One line, whatever the names of files in it hold.
int fail(int code, std::string message) {
  std::ranges::replace_if(
      message, [](char c) { return (c >= 0 && c < ' ') || c == 127; }, '?');
  dsnn::cli::print_error(fmt::format("dsnn: {}\n", message));
  return code;
}

/// The subcommand that the arguments reached, and its full name.
const CLI::App* chosen_command(const CLI::App& app, std::string& name) {
  const CLI::App* command = &app;
  while (!command->get_subcommands().empty()) {
    command = command->get_subcommands().front();
    name += " " + command->get_name();
  }
  return command;
}

/// One sentence for a mistake on the command line, with the nearest right word where one is near.
int usage_error(const CLI::App& app, const CLI::ParseError& error) {
  std::string name = "dsnn";
  const CLI::App* command = chosen_command(app, name);
  std::string message = error.what();
  std::replace(message.begin(), message.end(), '\n', ' ');
  const std::vector<std::string> unknown = app.remaining(true);
  if (!unknown.empty()) {
    std::vector<std::string> candidates;
    for (const CLI::App* sub : command->get_subcommands({})) candidates.push_back(sub->get_name());
    for (const CLI::Option* option : command->get_options()) {
      for (const std::string& long_name : option->get_lnames())
        candidates.push_back("--" + long_name);
    }
    message = fmt::format("unknown argument '{}'{}", unknown.front(),
                          dsnn::did_you_mean(unknown.front(), candidates));
  }
  return fail(kUsage, fmt::format("{} (see '{} --help')", message, name));
}

int run(int argc, char** argv, const dsnn::cli::AddCommands& add_commands) {
  CLI::App app("Learning on directed graphs with sheaf neural networks.", "dsnn");
  app.set_version_flag("--version", "dsnn " DSNN_VERSION);
  app.require_subcommand(1);
  app.footer("'dsnn COMMAND --help' explains a command with examples.");
  dsnn::cli::Action action;
  add_commands(app, action);
  if (argc == 1) {
    fmt::print("{}", app.help());
    return 0;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {  // --help or --version
    std::ostringstream text;
    const int code = app.exit(help, text, text);
    fmt::print("{}", text.str());  // not by std::cout, which says nothing of a full disk
    return code;
  } catch (const CLI::ParseError& error) {
    return usage_error(app, error);
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
    // Whatever an interrupted call made of it, the user asked for the end.
    if (is_cancel_requested()) return fail(kCancelled, cancelled_text_instance());
    return fail(kFailure, error.what());
  }
  if (std::fflush(stdout) != 0) {
    return fail(kFailure,
                fmt::format("cannot write to the standard output: {}", std::strerror(errno)));
  }
  return code;
}
