#pragma once

#include "cli/command.h"

#include <functional>
#include <string>

namespace dsnn::cli {

using AddCommands = std::function<void(Command&, Action&)>;

/// The body of main(): reads the command line, runs the command, and turns failures into a message
/// and an exit code.
int run_program(int argc, char** argv, const AddCommands& add_commands);

/// Sets the message after Ctrl-C, for commands that leave partial results.
void set_cancelled_text(std::string text);

}  // namespace dsnn::cli
