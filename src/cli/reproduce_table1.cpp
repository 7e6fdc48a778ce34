#include "dsnn/data/dataset.h"
#include "dsnn/util/error.h"

#include "cli/arguments.h"
#include "cli/cell_display.h"
#include "cli/reproduce_work.h"
#include "reproduce/ensembles.h"
#include "reproduce/ranks.h"
#include "reproduce/report.h"
#include "reproduce/seeds.h"
#include "reproduce/variants.h"
#include "reproduce/variants_reporter.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

// 'dsnn reproduce table1' and what is trained from the same configurations or on the same datasets.
namespace dsnn::cli {

namespace fs = std::filesystem;
using namespace reproduce;

namespace {

using Arguments = ReproduceArguments;

GridOptions table_options(const Arguments& arguments, const std::string& table) {
  GridOptions options = grid_options(arguments, table);
  if (arguments.seeds.empty()) options.column_seeds = table1_seeds();
  return options;
}

Work table_work(const Arguments& arguments) {
  GridOptions options = table_options(arguments, "table1");
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
  GridOptions options = table_options(arguments, "table1");
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

/// Random maps and the parameters of the published scripts, next to the paper's results.
Work as_released_work(const Arguments& arguments) {
  GridOptions options = table_options(arguments, "as-released");
  const fs::path paper = fs::path(arguments.configs) / "table1" / "paper.csv";
  if (arguments.paper.empty() && fs::exists(paper)) options.paper = read_paper(paper);
  Work work = {
      "as-released", "as-released", plan_grid(options), dataset_loader(arguments.data_dir), {}, {}};
  std::vector<std::string> models, columns;
  for (const Cell& cell : work.grid.cells) {
    if (!cell.config) continue;
    add_once(models, cell.model);
    add_once(columns, cell.column);
  }
  work.grid.keep(models, columns);
  check_datasets(work.grid, arguments);
  work.report = [](const Grid& grid) {
    return make_report(grid, "Table 1 as released: random maps, the published parameters",
                       "dataset");
  };
  work.csv = [](const Grid& grid) { return report_csv(grid, "dataset"); };
  return work;
}

/// The best model of each dataset, several times.
Work ensembles_work(const Arguments& arguments) {
  Arguments of_table = arguments;
  of_table.seeds.clear();  // those of the ensembles
  Work work = table_work(of_table);
  CheckDisplay display;
  if (!arguments.check) collect_scores(work.grid, work.load, display);
  const auto table = std::make_shared<Grid>(std::move(work.grid));
  const std::vector<std::uint64_t> seeds =
      arguments.seeds.empty() ? std::vector<std::uint64_t>{1} : arguments.seeds;
  work.name = work.table = "ensembles";
  work.grid = plan_ensembles(*table, {ReproduceArguments::runs(arguments.out, work.table),
                                      arguments.stored(work.table), seeds, arguments.check});
  work.report = [table](const Grid& grid) { return make_ensembles_report(grid, *table); };
  work.csv = [table](const Grid& grid) { return ensembles_csv(grid, *table); };
  return work;
}

Work make_work(const Arguments& arguments) {
  if (arguments.variants) return variants_work(arguments);
  if (arguments.as_released) return as_released_work(arguments);
  return arguments.ensembles ? ensembles_work(arguments) : table_work(arguments);
}

}  // namespace

void add_reproduce_table1(Command& reproduce, Action& action, const char* footer) {
  auto arguments = std::make_shared<Arguments>();
  Command* command = add_table_command(reproduce, "table1",
                                       "Accuracy on the nine graphs of the main table", *arguments);
  add_dataset_options(*command, *arguments, "Train only on these datasets, such as texas,cora");
  const Option* variants = command->add_flag(
      "--variants", arguments->variants,
      "Train the sheaf networks on both versions of datasets that have two, as published and "
      "corrected");
  Option* as_released = command->add_flag(
      "--as-released", arguments->as_released,
      "Train what the published program trains: random maps, its scripts' parameters "
      "(configs/as-released)");
  as_released->excludes(variants);
  command
      ->add_flag("--ensembles", arguments->ensembles,
                 "Of each dataset train the best model by validation as an ensemble of eight; the "
                 "table must have been trained in DIR")
      ->excludes(variants)
      ->excludes(as_released);
  command->footer(footer);
  command->callback([arguments, &action] {
    action = [arguments] { return run_work(make_work(*arguments), *arguments); };
  });
}

}  // namespace dsnn::cli
