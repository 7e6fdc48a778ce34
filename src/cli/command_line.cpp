#include "cli/command_line.h"

#include "util/suggest.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace dsnn::cli {
namespace {

/// The subcommand that the arguments reached, and its full name.
const CLI::App* chosen_command(const CLI::App& app, std::string& name) {
  const CLI::App* command = &app;
  while (!command->get_subcommands().empty()) {
    command = command->get_subcommands().front();
    name += " " + command->get_name();
  }
  return command;
}

}  // namespace

// --- Option ---

Option* Option::required(bool is_required) {
  option_->required(is_required);
  return this;
}

Option* Option::group(const std::string& heading) {
  option_->group(heading);
  return this;
}

Option* Option::one_of(const std::vector<std::string>& words) {
  option_->check(CLI::IsMember(words));
  return this;
}

Option* Option::check(const std::function<std::string(const std::string&)>& fault_of) {
  option_->check(
      CLI::Validator([fault_of](const std::string& text) { return fault_of(text); }, ""));
  return this;
}

Option* Option::transform(const std::function<std::string(std::string)>& change) {
  option_->transform(change);
  return this;
}

Option* Option::needs(const Option* other) {
  option_->needs(other->option_);
  return this;
}

Option* Option::excludes(const Option* other) {
  option_->excludes(other->option_);
  return this;
}

Option* Option::allow_extra_args(bool is_allowed) {
  option_->allow_extra_args(is_allowed);
  return this;
}

Option* Option::delimiter(char character) {
  option_->delimiter(character);
  return this;
}

bool Option::is_given() const { return option_->count() > 0; }

// --- Command ---

Command* Command::add_subcommand(const std::string& name, const std::string& help) {
  return &commands_.emplace_back(app_->add_subcommand(name, help));
}

Command* Command::require_subcommand(int count) {
  app_->require_subcommand(count);
  return this;
}

Option* Command::add_option(const std::string& name, std::string& target, const std::string& help) {
  return keep(app_->add_option(name, target, help));
}

Option* Command::add_option(const std::string& name, double& target, const std::string& help) {
  return keep(app_->add_option(name, target, help));
}

Option* Command::add_option(const std::string& name, std::optional<int>& target,
                            const std::string& help) {
  return keep(app_->add_option(name, target, help));
}

Option* Command::add_option(const std::string& name, std::optional<double>& target,
                            const std::string& help) {
  return keep(app_->add_option(name, target, help));
}

Option* Command::add_option(const std::string& name, std::vector<std::string>& target,
                            const std::string& help) {
  return keep(app_->add_option(name, target, help));
}

Option* Command::add_option_function(const std::string& name,
                                     const std::function<void(const std::string&)>& read,
                                     const std::string& help) {
  return keep(app_->add_option_function<std::string>(name, read, help));
}

Option* Command::add_flag(const std::string& name, bool& target, const std::string& help) {
  return keep(app_->add_flag(name, target, help));
}

void Command::footer(const std::string& text) { app_->footer(text); }

void Command::callback(const std::function<void()>& function) { app_->callback(function); }

void Command::parse_complete_callback(const std::function<void()>& function) {
  app_->parse_complete_callback(function);
}

std::optional<std::string> Command::text_of(const std::string& name) const {
  const CLI::Option* option = app_->get_option_no_throw(name);
  if (option == nullptr || option->empty()) return std::nullopt;
  return option->results().back();
}

Option* Command::keep(CLI::Option* option) { return &options_.emplace_back(option); }

// --- CommandLine ---

CommandLine::CommandLine(const std::string& name, const std::string& description,
                         const std::function<std::string()>& version)
    : app_(std::make_unique<CLI::App>(description, name)), program_(app_.get()) {
  app_->set_version_flag("--version", version);
}

CommandLine::~CommandLine() = default;

std::string CommandLine::help() const { return app_->help(); }

CommandLine::Outcome CommandLine::read(int argc, char** argv) {
  try {
    app_->parse(argc, argv);
  } catch (const CLI::Success& asked) {
    std::ostringstream text;
    app_->exit(asked, text, text);
    return {Outcome::Kind::kText, text.str()};
  } catch (const CLI::ParseError& error) {
    return {Outcome::Kind::kMistake, describe_mistake(error.what())};
  }
  return {};
}

std::string CommandLine::describe_mistake(const std::string& message) const {
  std::string name = app_->get_name();
  const CLI::App* command = chosen_command(*app_, name);
  std::string text = message;
  std::replace(text.begin(), text.end(), '\n', ' ');
  const std::vector<std::string> unknown = app_->remaining(true);
  if (!unknown.empty()) {
    std::vector<std::string> candidates;
    for (const CLI::App* sub : command->get_subcommands({})) candidates.push_back(sub->get_name());
    for (const CLI::Option* option : command->get_options()) {
      for (const std::string& long_name : option->get_lnames()) {
        candidates.push_back("--" + long_name);
      }
    }
    text = fmt::format("unknown argument '{}'{}", unknown.front(),
                       did_you_mean(unknown.front(), candidates));
  }
  return fmt::format("{} (see '{} --help')", text, name);
}

void refuse(const std::string& option, const std::string& reason) {
  throw CLI::ValidationError(option, reason);
}

void refuse_without(const std::string& name) { throw CLI::RequiredError(name); }

}  // namespace dsnn::cli
