#include "cli/reproduce_work.h"

#include "dsnn/data/dataset.h"
#include "dsnn/util/error.h"
#include "dsnn/util/output_file.h"
#include "dsnn/util/progress.h"

#include "cli/arguments.h"
#include "cli/cell_display.h"
#include "cli/program.h"
#include "cli/run_arguments.h"
#include "reproduce/check.h"
#include "reproduce/report.h"
#include "util/machine.h"

#include <fmt/format.h>

#include <cstdio>
#include <utility>

namespace dsnn::cli {

namespace fs = std::filesystem;
using namespace reproduce;

namespace {

/// A figure is also written to its own file.
void write_outputs(const ReproduceArguments& arguments, const Work& work) {
  const fs::path folder = arguments.out;
  const Document document = work.report(work.grid);
  for (const Document::Block& block : document.blocks) {
    if (const auto* figure = std::get_if<Document::Figure>(&block)) {
      write_file(folder / figure->file, figure->svg);
    }
  }
  write_file(folder / (work.name + ".md"), to_markdown(document));
  write_file(folder / (work.name + ".html"), to_html(document));
  write_file(folder / (work.name + ".csv"), work.csv(work.grid));
  if (work.json) write_file(folder / (work.name + ".json"), work.json(work.grid));
}

int run_check(const Work& work, const ReproduceArguments& arguments) {
  const fs::path folder = arguments.stored(work.table);
  if (!fs::is_directory(folder)) {
    throw Error(
        fmt::format("{}: no such folder; run the command in the folder that contains 'results', or "
                    "use --results",
                    folder.string()));
  }
  CheckOptions options;
  options.jobs = arguments.jobs > 0 ? arguments.jobs : num_cores();
  options.splits = parse_splits(arguments.splits);
  options.seeds = arguments.seeds;
  // Not among the runs of DIR: those may be the stored runs.
  if (!arguments.out.empty()) {
    check_is_outside(arguments.out, arguments.results);
    options.runs = ReproduceArguments::runs(fs::path(arguments.out) / "check", work.table);
  }
  set_cancelled_text(options.runs.empty() ? "cancelled; nothing is kept without --out"
                                          : "cancelled; the same command continues");
  set_progress_observer({});  // jobs write files at the same time, and the display shows progress
  CheckDisplay display;
  const CheckSummary summary =
      check_cells(work.grid, work.load, options, display, [](const std::string& line) {
        fmt::print("{}\n", line);
        std::fflush(stdout);  // the next line may take hours
      });
  fmt::print("{}\n", summary.text());
  if (summary.different > 0) return 1;
  if (summary.failed > 0) return kPartFailed;
  if (summary.compared() == 0) throw Error("nothing was compared");
  return 0;
}

}  // namespace

GridOptions grid_options(const ReproduceArguments& arguments, const std::string& table) {
  GridOptions options;
  options.configs = fs::path(arguments.configs) / table;
  options.out = ReproduceArguments::runs(arguments.out, table);
  options.results = arguments.stored(table);
  if (!arguments.seeds.empty()) options.seeds = arguments.seeds;
  options.models = arguments.models;
  options.columns = arguments.columns;
  const fs::path paper = options.configs / "paper.csv";
  if (!arguments.paper.empty()) {
    options.paper = read_paper(arguments.paper);
  } else if (fs::exists(paper)) {
    options.paper = read_paper(paper);
  }
  return options;
}

void check_datasets(const Grid& grid, const ReproduceArguments& arguments) {
  if (arguments.check && arguments.columns.empty()) return;
  for (const Cell& cell : grid.cells) {
    if (cell.is_pending() && cell.is_selected) {
      find_dataset(cell.column, arguments.data_dir);
    }
  }
}

Command* add_table_command(Command& reproduce, const char* name, const char* help,
                           ReproduceArguments& arguments, const char* rows) {
  Command* command = reproduce.add_subcommand(name, help);
  command->add_option("--models", arguments.models, rows)->delimiter(',')->allow_extra_args(false);
  command
      ->add_option("--seeds", arguments.seed_texts,
                   "Seeds of the trainings, such as 1,2; never those of the configurations, which "
                   "the search chose (default: 1; of maps and of the small graphs of table1 1,2,3)")
      ->delimiter(',')
      ->allow_extra_args(false);
  add_integer(*command, "--jobs", arguments.jobs,
              "Splits trained in parallel (default: number of cores)", 1, 1024);
  add_device_argument(*command, arguments.device);
  command->add_option("--configs", arguments.configs,
                      "Folder with the configurations (default: configs)");
  command->add_option("--paper", arguments.paper,
                      "The paper's results (default: paper.csv beside the configurations)");
  command->add_option("--out", arguments.out,
                      "Folder for runs and tables; with --check, runs are kept in DIR/check, and "
                      "not kept without --out");
  Option* check = command->add_flag("--check", arguments.check,
                                    "Train each split of the stored results again and compare all "
                                    "digits; exit code 1 if a result "
                                    "differs");
  command
      ->add_flag("--no-training", arguments.no_training,
                 "Only write the tables of what is trained in DIR")
      ->excludes(check);
  command
      ->add_option("--results", arguments.results,
                   "Folder with the stored results (default: results)")
      ->needs(check);
  command->add_option("--splits", arguments.splits, "Check only these splits, such as 0-4,7")
      ->needs(check);
  command->parse_complete_callback([&arguments] {
    if (!arguments.check && arguments.out.empty()) refuse_without("--out");
    if (arguments.check && arguments.device != "cpu") {
      throw Error("--check compares digits with those of a processor: it takes no --device");
    }
    parse_splits(arguments.splits);
    for (const std::string& text : arguments.seed_texts) {
      arguments.seeds.push_back(parse_seed(text, "--seeds"));
    }
  });
  return command;
}

void add_dataset_options(Command& command, ReproduceArguments& arguments, const char* help) {
  command.add_option("--datasets", arguments.columns, help)
      ->delimiter(',')
      ->allow_extra_args(false);
  add_data_dir_argument(command, arguments.data_dir);
}

LoadColumn dataset_loader(const std::string& data_dir) {
  return [data_dir](const std::string& name) { return read_dataset(find_dataset(name, data_dir)); };
}

int run_work(Work work, const ReproduceArguments& arguments) {
  if (arguments.check) return run_check(work, arguments);
  std::error_code error;
  const fs::path folder = arguments.out;
  fs::create_directories(folder, error);
  if (error) throw Error(fmt::format("{}: cannot create: {}", folder.string(), error.message()));
  const int jobs = arguments.jobs > 0 ? arguments.jobs : num_cores();
  set_cancelled_text("cancelled; the same command continues");
  set_progress_observer({});  // jobs write files at the same time, and the display shows progress
  const auto write = [&] { write_outputs(arguments, work); };
  CellDisplay display(write);
  collect_scores(work.grid, work.load, display);
  work.grid.trim();
  write();
  if (!arguments.no_training) run_cells(work.grid, work.load, jobs, display, arguments.device);
  if (!arguments.no_training &&
      summarise(work.grid).pending > 0) {  // other processes may have trained some of them
    collect_scores(work.grid, work.load, display);
    write();
  }
  const Summary summary = summarise(work.grid);
  fmt::print("{}\n", summary.text());
  const bool has_figure = fs::exists(folder / (work.name + ".svg"));
  fmt::print("{}: {}.md, .csv, .html{}{}\n", folder.string(), work.name, has_figure ? ", .svg" : "",
             work.json ? ", .json" : "");
  return summary.failed > 0 ? kPartFailed : 0;
}

}  // namespace dsnn::cli
