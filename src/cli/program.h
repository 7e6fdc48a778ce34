#pragma once

#include "cli/command.h"

#include <functional>
#include <string>

namespace dsnn::cli {

using AddCommands = std::function<void(Command&, Action&)>;

/// What main() does: reads the command line, runs the command, and turns whatever goes wrong into a
/// sentence and an exit code.
int run_program(int argc, char** argv, const AddCommands& add_commands);

/// What is said after Ctrl-C, by commands that do leave something.
void set_cancelled_text(std::string text);

}  // namespace dsnn::cli
