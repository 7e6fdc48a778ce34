#include "dsnn/data/dataset.h"

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/reproduce_work.h"
#include "reproduce/figure2.h"
#include "reproduce/links.h"
#include "reproduce/report.h"

#include <memory>

namespace dsnn::cli {

namespace fs = std::filesystem;
using namespace reproduce;

namespace {

using Arguments = ReproduceArguments;

Work figure_work(const Arguments& arguments) {
  GridOptions options = grid_options(arguments, "figure2");
  options.column_word = "alpha_out";
  options.columns_are_datasets = false;
  for (std::string& alpha : options.columns) alpha = figure2_column(alpha);
  return {"figure2",           "figure2",
          plan_grid(options),  figure2_dataset,
          make_figure2_report, [](const Grid& grid) { return report_csv(grid, "alpha_out"); }};
}

/// Datasets and splits of DirLinkBench.
Work dirlink_work(const Arguments& arguments) {
  GridOptions options = grid_options(arguments, "dirlink");
  options.score = "hits@100";
  Work work = {"dirlink",
               "dirlink",
               plan_grid(options),
               [data_dir = arguments.data_dir](const std::string& column) {
                 return dirlink_dataset(column, data_dir);
               },
               make_dirlink_report,
               [](const Grid& grid) { return report_csv(grid, "dataset"); }};
  for (const Cell& cell : work.grid.cells) {
    if (cell.is_pending() && cell.is_selected) dirlink_dataset(cell.column, arguments.data_dir);
  }
  return work;
}

/// Questions about pairs of nodes on several graphs.
Work links_work(const Arguments& arguments) {
  GridOptions options = grid_options(arguments, "links");
  options.column_word = "dataset.question";
  options.columns_are_datasets = false;
  const LoadColumn load = dataset_loader(arguments.data_dir);
  return {"links",
          "links",
          plan_grid(options),
          [load](const std::string& column) { return load(link_column(column).dataset); },
          make_links_report,
          [](const Grid& grid) { return report_csv(grid, "column"); }};
}

}  // namespace

void add_reproduce(Command& app, Action& action) {
  Command* reproduce =
      app.add_subcommand("reproduce", "Train the networks of a paper and compare with its results");
  reproduce->require_subcommand(1);
  const char* examples =
      "Results are kept in --out. After Ctrl-C or a crash the same command continues; cells whose\n"
      "configuration has not changed are not trained again.\n\n"
      "Examples:\n"
      "  dsnn reproduce table1 --datasets texas,cora --out reproduction\n"
      "  dsnn reproduce table1 --variants --out reproduction\n"
      "  dsnn reproduce table1 --datasets texas --seeds 7 --out reproduction\n"
      "  dsnn reproduce table1 --as-released --out reproduction\n"
      "  dsnn reproduce table1 --ensembles --out reproduction\n"
      "  dsnn reproduce figure2 --alphas 0.05 --models diag-dsnn,diag-nsd --out reproduction\n"
      "  dsnn reproduce table1 --datasets texas --models diag-dsnn --check\n\n"
      "For each stored training, --check prints 'same', 'differs' with a list, or 'not compared' "
      "with the "
      "reason: results\nof another version of the arithmetic or another instruction set, different "
      "or "
      "missing data, no\nconfiguration. Exit code: 0 if all compared results are the same, 1 if "
      "one "
      "differs or nothing\nwas compared, 3 if a cell could not be trained.";
  reproduce->footer(examples);

  add_reproduce_table1(*reproduce, action, examples);

  const auto add_links = [&](const char* name, const char* help, const char* columns_help,
                             Work (*make_work)(const Arguments&)) {
    auto arguments = std::make_shared<Arguments>();
    Command* links_command = add_table_command(*reproduce, name, help, *arguments);
    add_dataset_options(*links_command, *arguments, columns_help);
    links_command->callback([arguments, make_work, &action] {
      action = [arguments, make_work] { return run_work(make_work(*arguments), *arguments); };
    });
  };
  add_links("dirlink", "Existence of arcs on the splits of DirLinkBench",
            "Train only on these datasets, such as cora_ml,citeseer", dirlink_work);
  add_links("links", "Existence and direction of arcs by MagNet's protocol",
            "Train only these datasets and questions, such as texas.direction", links_work);

  auto figure = std::make_shared<Arguments>();
  Command* figure_command = add_table_command(
      *reproduce, "figure2", "Accuracy on random graphs of the block model", *figure);
  figure_command
      ->add_option("--alphas", figure->columns,
                   "Train only for these values of alpha_out, such as 0.05,0.08")
      ->delimiter(',')
      ->allow_extra_args(false);
  figure_command->footer(examples);
  figure_command->callback(
      [figure, &action] { action = [figure] { return run_work(figure_work(*figure), *figure); }; });

  add_reproduce_maps(*reproduce, action);
}

}  // namespace dsnn::cli
