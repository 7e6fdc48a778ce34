#include "dsnn/data/dataset.h"

#include "cli/arguments.h"
#include "cli/reproduce_work.h"
#include "reproduce/maps.h"

#include <algorithm>
#include <memory>

namespace dsnn::cli {

namespace fs = std::filesystem;
using namespace reproduce;

namespace {

struct Arguments : ReproduceArguments {
  std::vector<std::string> seeds;
};

Work maps_work(const Arguments& arguments) {
  std::vector<std::uint64_t> seeds;
  for (const std::string& text : arguments.seeds) seeds.push_back(parse_seed(text));
  if (seeds.empty()) seeds = {1, 2, 3};
  MapsOptions options = {fs::path(arguments.configs) / "maps", arguments.out, arguments.columns,
                         arguments.models, seeds};
  const LoadColumn load = dataset_loader(arguments.data_dir);
  Work work = {"maps",
               "maps",
               plan_maps(options),
               [load](const std::string& column) {
                 return is_block_model(column) ? block_model(column) : load(column);
               },
               [seeds](const Grid& grid) { return make_maps_report(grid, seeds); },
               [seeds](const Grid& grid) { return maps_csv(grid, seeds); },
               [seeds](const Grid& grid) { return maps_json(grid, seeds); }};
  for (const Cell& cell : work.grid.cells) {
    if (cell.is_pending() && cell.is_selected && !is_block_model(cell.column)) {
      find_dataset(cell.column, arguments.data_dir);
    }
  }
  return work;
}

}  // namespace

void add_reproduce_maps(Command& reproduce, Action& action) {
  auto arguments = std::make_shared<Arguments>();
  Command* command = reproduce.add_subcommand(
      "maps", "Learned, random and identity maps, with and without the phase, on eight graphs");
  const auto add_names = [&](const char* option, std::vector<std::string>& names,
                             const char* help) {
    command->add_option(option, names, help)->delimiter(',')->allow_extra_args(false);
  };
  add_names("--datasets", arguments->columns, "Train only on these datasets, such as texas,cora");
  add_names("--models", arguments->models,
            "Train only these rows, such as diag-dsnn-learned,dsnn-identity");
  add_names("--seeds", arguments->seeds, "Seeds of the trainings (default: 1,2,3)");
  add_integer(*command, "--jobs", arguments->jobs,
              "Splits trained in parallel (default: number of cores)", 1, 1024);
  command->add_option("--configs", arguments->configs,
                      "Folder with the configurations (default: configs)");
  command->add_option("--out", arguments->out, "Folder for runs and tables")->required();
  add_data_dir_argument(*command, arguments->data_dir);
  command->footer(
      "Rows: diag, orth and gen maps, learned or random, and identity maps, of DSNN and NSD. "
      "Their\n"
      "parameters are those of configs/maps, which scripts/sweep-cells.py maps searches; a row\n"
      "without a configuration is shown as not searched. After Ctrl-C the same command "
      "continues.\n\n"
      "Examples:\n"
      "  dsnn reproduce maps --out maps\n"
      "  dsnn reproduce maps --datasets texas --models dsnn-identity,nsd-identity --seeds 1 --out "
      "maps");
  command->callback([arguments, &action] {
    action = [arguments] { return run_work(maps_work(*arguments), *arguments); };
  });
}

}  // namespace dsnn::cli
