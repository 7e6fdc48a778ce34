#include "dsnn/data/dataset.h"

#include "cli/arguments.h"
#include "cli/reproduce_work.h"
#include "reproduce/maps.h"

#include <memory>

namespace dsnn::cli {

namespace fs = std::filesystem;
using namespace reproduce;

namespace {

Work maps_work(const ReproduceArguments& arguments) {
  MapsOptions options;
  options.configs = fs::path(arguments.configs) / "maps";
  options.out = ReproduceArguments::runs(arguments.out, "maps");
  options.results = arguments.stored("maps");
  options.columns = arguments.columns;
  options.rows = arguments.models;
  if (!arguments.seeds.empty()) options.seeds = arguments.seeds;
  const LoadColumn load = dataset_loader(arguments.data_dir);
  Work work = {"maps",
               "maps",
               plan_maps(options),
               [load](const std::string& column) {
                 return is_block_model(column) ? block_model(column) : load(column);
               },
               make_maps_report,
               maps_csv,
               maps_json};
  for (const Cell& cell : work.grid.cells) {
    if (cell.is_pending() && cell.is_selected && !is_block_model(cell.column)) {
      find_dataset(cell.column, arguments.data_dir);
    }
  }
  return work;
}

}  // namespace

void add_reproduce_maps(Command& reproduce, Action& action) {
  auto arguments = std::make_shared<ReproduceArguments>();
  Command* command = add_table_command(
      reproduce, "maps",
      "Learned, random and identity maps, with and without the phase, on eight graphs", *arguments,
      "Train only these rows, such as diag-dsnn-learned,dsnn-identity");
  add_dataset_options(*command, *arguments, "Train only on these datasets, such as texas,cora");
  command->footer(
      "Rows: diag, orth and gen maps, learned or random, and identity maps, of DSNN and NSD. "
      "Their\n"
      "parameters are those of configs/maps, which scripts/sweep-cells.py maps searches; a row\n"
      "without a configuration is shown as not searched. After Ctrl-C the same command "
      "continues.\n\n"
      "Examples:\n"
      "  dsnn reproduce maps --out reproduction\n"
      "  dsnn reproduce maps --datasets texas --models dsnn-identity,nsd-identity --seeds 1 --out "
      "reproduction");
  command->callback([arguments, &action] {
    action = [arguments] { return run_work(maps_work(*arguments), *arguments); };
  });
}

}  // namespace dsnn::cli
