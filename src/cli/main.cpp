#include "dsnn/util/progress.h"
#include "dsnn/version.h"

#include "cli/command.h"
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
    const std::string suggestion = dsnn::nearest(unknown.front(), candidates);
    message = fmt::format("unknown argument '{}'", unknown.front());
    if (!suggestion.empty()) message += fmt::format("; did you mean '{}'?", suggestion);
  }
  return fail(kUsage, fmt::format("{} (see '{} --help')", message, name));
}

int run(int argc, char** argv) {
  CLI::App app("Learning on directed graphs with sheaf neural networks.", "dsnn");
  app.set_version_flag("--version", "dsnn " DSNN_VERSION);
  app.require_subcommand(1);
  app.footer("'dsnn COMMAND --help' explains a command with examples.");
  dsnn::cli::Action action;
  dsnn::cli::add_info(app, action);
  dsnn::cli::add_convert(app, action);
  dsnn::cli::add_verify(app, action);
  dsnn::cli::add_spectrum(app, action);
  dsnn::cli::add_laplacian(app, action);
  dsnn::cli::add_generate(app, action);
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

}  // namespace

int main(int argc, char** argv) {
  dsnn::cli::open_standard_streams();
  int code = kFailure;
  try {
    code = run(argc, argv);
  } catch (const std::bad_alloc&) {
    return fail(kFailure, "not enough memory for this graph and these options");
  } catch (const std::exception& error) {
    // Whatever an interrupted call made of it, the user asked for the end.
    if (dsnn::is_cancel_requested()) return fail(kCancelled, "cancelled; no output was written");
    return fail(kFailure, error.what());
  }
  if (std::fflush(stdout) != 0) {
    return fail(kFailure,
                fmt::format("cannot write to the standard output: {}", std::strerror(errno)));
  }
  return code;
}
