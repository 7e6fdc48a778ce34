#include "reproduce/maps.h"

#include "dsnn/data/dsbm_dataset.h"
#include "dsnn/util/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

namespace dsnn::reproduce {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBlocks = "blocks-";

std::vector<MapsRow> make_rows() {
  std::vector<MapsRow> rows;
  for (const std::string field : {"dsnn", "nsd"}) {
    for (const std::string family : {"diag", "orth", "gen"}) {
      const std::string model = family + "-" + field;
      for (const std::string maps : {"learned", "random"}) {
        rows.push_back({model + "-" + maps, model, family, field, maps});
      }
    }
    // Any family: without a learner all are the same network.
    rows.push_back({field + "-identity", "diag-" + field, "", field, "identity"});
  }
  return rows;
}

std::optional<RunConfig> read_config(const fs::path& path, const MapsRow& row,
                                     const std::string& column) {
  if (!fs::exists(path)) return std::nullopt;
  RunConfig config = read_toml(path);
  const auto expect = [&](const char* what, const std::string& found, const std::string& expected) {
    if (found == expected) return;
    throw Error(fmt::format("{}: {} is {}, expected {} according to its name", path.string(), what,
                            found, expected));
  };
  expect("model", config.model, row.model);
  expect("maps", config.config.word("maps"), row.maps);
  const bool names_dataset = !config.dataset.empty() && !is_block_model(column);
  if (names_dataset) expect("dataset", config.dataset, column);
  config.dataset = column;
  return config;
}

}  // namespace

std::span<const MapsRow> maps_rows() {
  static const std::vector<MapsRow> rows = make_rows();
  return rows;
}

std::vector<std::string> maps_columns() {
  return {"texas", "wisconsin", "cornell_corrected", "chameleon_filtered_directed",
          "cora",  "telegram",  "blocks-0.2",        "blocks-0.4"};
}

bool is_block_model(const std::string& column) { return column.starts_with(kBlocks); }

Dataset block_model(const std::string& column) {
  DsbmOptions options;
  options.num_nodes = 500;
  options.num_communities = 5;
  options.alpha_in = 0.1;
  options.alpha_out = 0.1;
  options.beta = std::stod(column.substr(kBlocks.size()));
  options.seed = 1;
  Dataset dataset = dsbm_dataset(options);
  dataset.name = column;
  return dataset;
}

Grid plan_maps(const MapsOptions& options) {
  std::vector<std::string> columns = maps_columns(), rows;
  for (const MapsRow& row : maps_rows()) rows.push_back(row.name);
  check_known(options.columns, columns, "dataset");
  check_known(options.rows, rows, "row");
  const auto is_selected = [](const std::vector<std::string>& names, const std::string& name) {
    return names.empty() || std::ranges::find(names, name) != names.end();
  };
  Grid grid;
  grid.models = rows;
  grid.columns = columns;
  bool has_any = false;
  for (const std::string& column : columns) {
    for (const MapsRow& row : maps_rows()) {
      Cell cell;
      cell.model = row.name;
      cell.column = column;
      cell.is_selected =
          is_selected(options.rows, row.name) && is_selected(options.columns, column);
      cell.config = read_config(options.configs / column / (row.name + ".toml"), row, column);
      cell.stored = options.results / column / (row.name + ".json");
      if (cell.config) {
        for (const std::uint64_t seed : options.seeds) {
          cell.runs.push_back({seed, run_folder(options.out, seed, column, row.name)});
        }
      }
      has_any |= cell.is_selected && cell.config;
      grid.cells.push_back(std::move(cell));
    }
  }
  if (!has_any) {
    throw Error(fmt::format(
        "no configuration for the selected cells, expected {}/{}/{}.toml; "
        "scripts/sweep-cells.py maps searches them",
        options.configs.string(), options.columns.empty() ? "DATASET" : options.columns.front(),
        options.rows.empty() ? "ROW" : options.rows.front()));
  }
  return grid;
}

}  // namespace dsnn::reproduce
