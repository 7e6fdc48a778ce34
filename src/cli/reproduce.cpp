#include "dsnn/data/dataset.h"
#include "dsnn/util/error.h"

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/program.h"
#include "cli/reproduce_work.h"
#include "cli/run_arguments.h"
#include "reproduce/figure2.h"
#include "reproduce/links.h"
#include "reproduce/ranks.h"
#include "reproduce/report.h"
#include "reproduce/variants.h"
#include "reproduce/variants_reporter.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace dsnn::cli {

namespace fs = std::filesystem;
using namespace reproduce;

namespace {

using Arguments = ReproduceArguments;

GridOptions grid_options(const Arguments& arguments, const std::string& name) {
  GridOptions options;
  options.configs = fs::path(arguments.configs) / name;
  options.out = arguments.folder(name);
  options.seed = arguments.seed;
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

/// Reports missing datasets before hours of work. A check skips missing datasets unless named.
void check_datasets(const Grid& grid, const Arguments& arguments) {
  if (arguments.check && arguments.columns.empty()) return;
  for (const Cell& cell : grid.cells) {
    if (cell.is_pending() && cell.is_selected) {
      find_dataset(cell.column, arguments.data_dir);
    }
  }
}

Work table_work(const Arguments& arguments) {
  GridOptions options = grid_options(arguments, "table1");
  for (const VariantPair& pair : variant_pairs()) {
    options.hidden_columns.push_back(pair.counterpart);
    if (std::ranges::find(arguments.columns, pair.counterpart) != arguments.columns.end()) {
      throw Error(fmt::format("{} is another version of {}: expected --variants --datasets {}",
                              pair.counterpart, pair.dataset, pair.dataset));
    }
  }
  Work work = {"table1", "table1", plan_grid(options), dataset_loader(arguments.data_dir), {}, {}};
  check_datasets(work.grid, arguments);
  work.report = [](const Grid& grid) {
    Document document = make_report(grid, "Table 1: node classification", "dataset");
    add_ranks(document, grid, "dataset");
    return document;
  };
  work.csv = [](const Grid& grid) { return report_csv(grid, "dataset"); };
  return work;
}

bool is_selected(const VariantPair& pair, const std::vector<std::string>& names) {
  const auto has = [&](const std::string& name) {
    return std::ranges::find(names, name) != names.end();
  };
  return names.empty() || has(pair.dataset) || has(pair.counterpart);
}

Work variants_work(const Arguments& arguments) {
  GridOptions options = grid_options(arguments, "table1");
  options.columns.clear();
  std::vector<std::string> known;
  for (const VariantPair& pair : variant_pairs()) {
    known.insert(known.end(), {pair.dataset, pair.counterpart});
  }
  check_known(arguments.columns, known, "dataset with two versions");
  std::vector<VariantPair> pairs;
  for (const VariantPair& pair : variant_pairs()) {
    options.stand_ins[pair.counterpart] = pair.dataset;
    const bool has_config = fs::is_directory(options.configs / pair.dataset) ||
                            fs::is_directory(options.configs / pair.counterpart);
    if (!has_config) continue;
    pairs.push_back(pair);
    // Either name selects both.
    if (!is_selected(pair, arguments.columns)) continue;
    options.columns.push_back(pair.dataset);
    options.columns.push_back(pair.counterpart);
  }
  if (options.columns.empty()) {
    throw Error(fmt::format("{}: contains no configuration for a dataset with two versions",
                            options.configs.string()));
  }
  Work work = {"variants", "table1", plan_grid(options), dataset_loader(arguments.data_dir),
               {},         {}};
  std::vector<std::string> models = variant_models(), columns;
  models.insert(models.end(), options.models.begin(), options.models.end());
  for (const VariantPair& pair : pairs) {
    columns.insert(columns.end(), {pair.dataset, pair.counterpart});
  }
  work.grid.keep(models, columns);
  compare_published_with_paper(work.grid, pairs);
  check_datasets(work.grid, arguments);
  const auto reporter = std::make_shared<VariantsReporter>(pairs, work.load);
  work.report = [reporter](const Grid& grid) { return reporter->report(grid); };
  work.csv = [reporter](const Grid& grid) { return variant_csv(grid, reporter->known(grid)); };
  return work;
}

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

Command* add_work(Command& app, const char* name, const char* help, Arguments& arguments) {
  Command* command = app.add_subcommand(name, help);
  command
      ->add_option("--models", arguments.models,
                   "Train only these models, such as diag-dsnn,diag-nsd")
      ->delimiter(',')
      ->allow_extra_args(false);
  command->add_option_function(
      "--seed", [&arguments](const std::string& text) { arguments.seed = parse_seed(text); },
      "Seed of all trainings, saved in DIR/seed-N (default: the seeds found by the search)");
  add_integer(*command, "--jobs", arguments.jobs,
              "Splits trained in parallel (default: number of cores)", 1, 1024);
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
      ->add_option("--results", arguments.results,
                   "Folder with the stored results (default: results)")
      ->needs(check);
  command->add_option("--splits", arguments.splits, "Check only these splits, such as 0-4,7")
      ->needs(check);
  command->parse_complete_callback([&arguments] {
    if (!arguments.check && arguments.out.empty()) refuse_without("--out");
    parse_splits(arguments.splits);
  });
  return command;
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
      "  dsnn reproduce table1 --datasets texas --seed 1 --out reproduction\n"
      "  dsnn reproduce figure2 --alphas 0.05 --models diag-dsnn,diag-nsd --out reproduction\n"
      "  dsnn reproduce table1 --datasets texas --models diag-dsnn --check\n\n"
      "For each cell, --check prints 'same', 'differs' with a list, or 'not compared' with the "
      "reason: results\nof another version of the arithmetic or another instruction set, different "
      "or "
      "missing data, no\nconfiguration. Exit code: 0 if all compared results are the same, 1 if "
      "one "
      "differs or nothing\nwas compared, 3 if a cell could not be trained.";
  reproduce->footer(examples);

  auto table = std::make_shared<Arguments>();
  Command* table_command =
      add_work(*reproduce, "table1",
               "Accuracy of the sheaf networks on the nine graphs of the main table", *table);
  table_command
      ->add_option("--datasets", table->columns, "Train only on these datasets, such as texas,cora")
      ->delimiter(',')
      ->allow_extra_args(false);
  add_data_dir_argument(*table_command, table->data_dir);
  table_command->add_flag("--variants", table->variants,
                          "Train the sheaf networks on both versions of datasets that have two, as "
                          "published and corrected");
  table_command->footer(examples);
  table_command->callback([table, &action] {
    action = [table] {
      return run_work(table->variants ? variants_work(*table) : table_work(*table), *table);
    };
  });

  const auto add_links = [&](const char* name, const char* help, const char* columns_help,
                             Work (*make_work)(const Arguments&)) {
    auto arguments = std::make_shared<Arguments>();
    Command* links_command = add_work(*reproduce, name, help, *arguments);
    links_command->add_option("--datasets", arguments->columns, columns_help)
        ->delimiter(',')
        ->allow_extra_args(false);
    add_data_dir_argument(*links_command, arguments->data_dir);
    links_command->callback([arguments, make_work, &action] {
      action = [arguments, make_work] { return run_work(make_work(*arguments), *arguments); };
    });
  };
  add_links("dirlink", "Existence of arcs on the splits of DirLinkBench",
            "Train only on these datasets, such as cora_ml,citeseer", dirlink_work);
  add_links("links", "Existence and direction of arcs by MagNet's protocol",
            "Train only these datasets and questions, such as texas.direction", links_work);

  auto figure = std::make_shared<Arguments>();
  Command* figure_command =
      add_work(*reproduce, "figure2", "Accuracy on random graphs of the block model", *figure);
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
