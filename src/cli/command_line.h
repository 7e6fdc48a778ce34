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

// Commands, their options, and what they make of the arguments. CLI11 does the work, and is
// included by command_line.cpp alone: it takes seconds to compile.

/// An option of a command. Functions return the option again, so that they can be written in a row.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}

  Option* required(bool is_required = true);
  /// The heading that help shows it under.
  Option* group(const std::string& heading);
  Option* one_of(const std::vector<std::string>& words);
  /// With a function that says what is wrong with a text, or nothing.
  Option* check(const std::function<std::string(const std::string&)>& fault_of);
  Option* transform(const std::function<std::string(std::string)>& change);
  Option* needs(const Option* other);
  Option* excludes(const Option* other);
  /// Whether one mention takes all words that follow it; otherwise, one.
  Option* allow_extra_args(bool is_allowed = true);
  /// Between the values within a word.
  Option* delimiter(char character);

  bool is_given() const;

 private:
  CLI::Option* option_;
};

/// A command: options, and perhaps commands of its own. Names are as CLI11 takes them:
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
  /// With a function that reads the text; it may call refuse().
  Option* add_option_function(const std::string& name,
                              const std::function<void(const std::string&)>& read,
                              const std::string& help);
  Option* add_flag(const std::string& name, bool& target, const std::string& help);

  /// What help ends with.
  void footer(const std::string& text);
  /// What is done when this command was chosen and nothing on the command line is wrong.
  void callback(const std::function<void()>& function);
  /// What is done when the options of this command are read; it may call refuse().
  void parse_complete_callback(const std::function<void()>& function);

  /// The last text given for an option; nothing if there was none, or there is no such option.
  std::optional<std::string> text_of(const std::string& name) const;

 private:
  Option* keep(CLI::Option* option);

  CLI::App* app_;
  std::deque<Option> options_;
  std::deque<Command> commands_;
};

/// The whole: a command with --version.
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
      kText,     ///< --help or --version: here it is
      kMistake,  ///< a sentence about it, with the nearest right word where one is near
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

/// Ends the reading of arguments: "--seed: reason". Elsewhere it is an error like any other.
[[noreturn]] void refuse(const std::string& option, const std::string& reason);
/// The same: "NAME is required".
[[noreturn]] void refuse_without(const std::string& name);

}  // namespace dsnn::cli
