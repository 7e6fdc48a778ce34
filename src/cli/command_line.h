#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace dsnn::cli {

// Commands, their options, and the parsing of arguments. CLI11 does the work; only command_line.cpp
// includes it, because it takes seconds to compile.

/// An option of a command. Functions return the option, so that calls can be chained.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}

  Option* required(bool is_required = true);
  /// The heading under which help lists it.
  Option* group(const std::string& heading);
  Option* one_of(const std::vector<std::string>& words);
  /// `fault_of` returns what is wrong with a text, or an empty string.
  Option* check(const std::function<std::string(const std::string&)>& fault_of);
  Option* transform(const std::function<std::string(std::string)>& change);
  Option* needs(const Option* other);
  Option* excludes(const Option* other);
  /// Whether one occurrence takes all words that follow it, or only one.
  Option* allow_extra_args(bool is_allowed = true);
  /// The separator between values within one word.
  Option* delimiter(char character);

  bool is_given() const;

 private:
  CLI::Option* option_;
};

/// A command: options, and possibly subcommands. Names are written as for CLI11:
/// "-o,--output", or "GRAPH" for one without dashes. Targets are written while arguments are read.
class Command {
 public:
  explicit Command(CLI::App* app) : app_(app) {}
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  Command* add_subcommand(const std::string& name, const std::string& help);
  Command* require_subcommand(int count);

  Option* add_option(const std::string& name, std::string& target, const std::string& help);
  Option* add_option(const std::string& name, double& target, const std::string& help);
  Option* add_option(const std::string& name, std::optional<int>& target, const std::string& help);
  Option* add_option(const std::string& name, std::optional<double>& target,
                     const std::string& help);
  Option* add_option(const std::string& name, std::vector<std::string>& target,
                     const std::string& help);
  /// `read` parses the text; it may call refuse().
  Option* add_option_function(const std::string& name,
                              const std::function<void(const std::string&)>& read,
                              const std::string& help);
  Option* add_flag(const std::string& name, bool& target, const std::string& help);

  /// The text at the end of the help.
  void footer(const std::string& text);
  /// Called when this command was chosen and the command line is valid.
  void callback(const std::function<void()>& function);
  /// Called after the options of this command are read; it may call refuse().
  void parse_complete_callback(const std::function<void()>& function);

  /// The last text given for an option; nothing if it was not given or does not exist.
  std::optional<std::string> text_of(const std::string& name) const;

 private:
  Option* keep(CLI::Option* option);

  CLI::App* app_;
  std::deque<Option> options_;
  std::deque<Command> commands_;
};

/// The whole command line: a command with --version.
class CommandLine {
 public:
  /// version(): what --version prints.
  CommandLine(const std::string& name, const std::string& description,
              const std::function<std::string()>& version);
  ~CommandLine();

  Command& program() { return program_; }
  std::string help() const;

  struct Outcome {
    enum class Kind {
      kCommand,  ///< the callback of the chosen command was called
      kText,     ///< the text of --help or --version
      kMistake,  ///< an error message, with a suggestion where a known word is close
    };
    Kind kind = Kind::kCommand;
    std::string text;
  };
  Outcome read(int argc, char** argv);

 private:
  std::string describe_mistake(const std::string& message) const;

  std::unique_ptr<CLI::App> app_;
  Command program_;
};

/// Stops reading arguments with the error "--seed: reason". Elsewhere an ordinary error.
[[noreturn]] void refuse(const std::string& option, const std::string& reason);
/// The same, with the error "NAME is required".
[[noreturn]] void refuse_without(const std::string& name);

}  // namespace dsnn::cli
