#include "cli/sweep_report.h"

#include "dsnn/sweep/report.h"
#include "dsnn/sweep/sweep.h"
#include "dsnn/util/output_file.h"

#include "cli/arguments.h"
#include "cli/command.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>

namespace dsnn::cli {
namespace {

struct Arguments {
  std::string folder;
  std::string output;
};

std::filesystem::path database_of(const std::filesystem::path& folder) {
  return folder / "sweep.sqlite";
}

}  // namespace

bool is_sweep(const std::filesystem::path& folder) {
  std::error_code ignored;
  return std::filesystem::exists(database_of(folder), ignored);
}

int report_sweep(const std::filesystem::path& folder, const std::string& given) {
  const std::string output = given.empty() ? (folder / "report.html").string() : given;
  const Sweep sweep = read_sweep(folder);
  check_output(output, {database_of(folder).string()});
  OutputFile file(output);
  file.write(sweep_report(sweep));
  file.commit();
  if (!is_stream_path(output)) {
    fmt::print("{}: {} trial{}\n", output, sweep.trials.size(),
               sweep.trials.size() == 1 ? "" : "s");
  }
  return 0;
}

void add_sweep_report(Command& app, Action& action) {
  auto arguments = std::make_shared<Arguments>();
  Command* command = app.add_subcommand("sweep-report", "Write a page about a sweep");
  command->add_option("DIR", arguments->folder, "Folder of a sweep (dsnn sweep --out)")->required();
  add_output_argument(*command, arguments->output, false,
                      "HTML file to write (default: DIR/report.html)");
  command->footer(
      "The page needs no other file and no network. The sweep may still be running.\n"
      "Examples:\n"
      "  dsnn sweep-report sweeps/texas\n"
      "  dsnn sweep-report sweeps/texas -o texas.html");
  command->callback([arguments, &action] {
    action = [arguments] { return report_sweep(arguments->folder, arguments->output); };
  });
}

}  // namespace dsnn::cli
