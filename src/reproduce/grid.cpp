#include "reproduce/grid.h"

#include "dsnn/nn/model.h"
#include "dsnn/util/error.h"

#include "util/suggest.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>

namespace dsnn::reproduce {
namespace {

namespace fs = std::filesystem;

bool has(const std::vector<std::string>& words, const std::string& word) {
  return std::ranges::find(words, word) != words.end();
}

/// The models for which a folder has configurations.
std::set<std::string> models_in(const fs::path& folder) {
  std::set<std::string> names;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    if (entry.path().extension() == ".toml") names.insert(entry.path().stem().string());
  }
  return names;
}

std::vector<std::string> all_columns(const GridOptions& options) {
  std::vector<std::string> columns = options.paper.columns();
  std::error_code ignored;
  std::set<std::string> folders;
  for (const auto& entry : fs::directory_iterator(options.configs, ignored)) {
    if (entry.is_directory()) folders.insert(entry.path().filename().string());
  }
  for (const std::string& folder : folders) add_once(columns, folder);
  for (const auto& [column, stand_in] : options.stand_ins) add_once(columns, column);
  return columns;
}

std::vector<std::string> all_models(const GridOptions& options,
                                    const std::vector<std::string>& columns) {
  std::set<std::string> configured;
  for (const std::string& column : columns) {
    configured.merge(models_in(options.configs / column));
  }
  std::vector<std::string> models = options.paper.models();
  for (const nn::ModelEntry& entry : nn::model_registry()) {
    if (configured.contains(entry.name)) add_once(models, entry.name);
  }
  for (const std::string& model : configured) nn::find_model(model);
  return models;
}

fs::path config_path(const GridOptions& options, const std::string& model,
                     const std::string& column) {
  fs::path own = options.configs / column / (model + ".toml");
  const auto stand_in = options.stand_ins.find(column);
  if (fs::exists(own) || stand_in == options.stand_ins.end()) return own;
  return options.configs / stand_in->second / (model + ".toml");
}

std::optional<RunConfig> read_config(const GridOptions& options, const std::string& model,
                                     const std::string& column) {
  const fs::path path = config_path(options, model, column);
  if (!fs::exists(path)) return std::nullopt;
  RunConfig config = read_toml(path);
  const std::string own_column = path.parent_path().filename().string();
  if (config.model != model) {
    throw Error(fmt::format("{}: is for the model {}, expected {} according to its name",
                            path.string(), config.model, model));
  }
  const bool names_dataset = options.columns_are_datasets && !config.dataset.empty();
  if (names_dataset && config.dataset != own_column) {
    throw Error(fmt::format("{}: is for the dataset {}, expected {} according to its folder",
                            path.string(), config.dataset, own_column));
  }
  if (column != own_column) config.checksum.clear();  // it belongs to the other column
  config.dataset = column;
  return config;
}

/// A run for each seed, and that of the search: OUT/COLUMN/MODEL.
std::vector<SeedRun> make_runs(const GridOptions& options, const Cell& cell) {
  const auto found = options.column_seeds.find(cell.column);
  std::vector<SeedRun> runs;
  for (const std::uint64_t seed :
       found == options.column_seeds.end() ? options.seeds : found->second) {
    runs.push_back({seed, run_folder(options.out, seed, cell.column, cell.model)});
  }
  runs.push_back({cell.config->seed, options.out / cell.column / cell.model, true});
  return runs;
}

[[noreturn]] void refuse(const GridOptions& options, const std::string& model) {
  const std::string column =
      options.columns.empty() ? fmt::format("<{}>", options.column_word) : options.columns.front();
  throw Error(
      fmt::format("no configuration for the selected cells, expected {}/{}/{}.toml; "
                  "scripts/sweep-cells.py searches them",
                  options.configs.string(), column, model));
}

}  // namespace

void check_known(const std::vector<std::string>& names, const std::vector<std::string>& known,
                 const std::string& word) {
  for (const std::string& name : names) {
    if (has(known, name)) continue;
    const std::string suggestion = did_you_mean(name, known);
    throw Error(fmt::format(
        "unknown {} '{}'{}", word, name,
        suggestion.empty() ? fmt::format("; expected {}", fmt::join(known, ", ")) : suggestion));
  }
}

fs::path run_folder(const fs::path& out, std::uint64_t seed, const std::string& column,
                    const std::string& row) {
  return out / fmt::format("seed-{}", seed) / column / row;
}

Cell& Grid::at(const std::string& model, const std::string& column) {
  return const_cast<Cell&>(std::as_const(*this).at(model, column));
}

const Cell& Grid::at(const std::string& model, const std::string& column) const {
  const auto found = std::ranges::find_if(
      cells, [&](const Cell& cell) { return cell.model == model && cell.column == column; });
  if (found == cells.end()) throw Error(fmt::format("no cell of {} on {}", model, column));
  return *found;
}

const Cell* Grid::scored(const std::string& model, const std::string& column) const {
  const auto found = std::ranges::find_if(cells, [&](const Cell& cell) {
    return cell.model == model && cell.column == column && cell.is_scored();
  });
  return found == cells.end() ? nullptr : &*found;
}

void Grid::keep(const std::vector<std::string>& these_models,
                const std::vector<std::string>& these_columns) {
  std::erase_if(models, [&](const std::string& model) { return !has(these_models, model); });
  std::erase_if(columns, [&](const std::string& column) { return !has(these_columns, column); });
  std::erase_if(cells, [&](const Cell& cell) {
    return !has(these_models, cell.model) || !has(these_columns, cell.column);
  });
}

void Grid::trim() {
  std::vector<std::string> shown_models, shown_columns;
  for (const Cell& cell : cells) {
    if (!cell.is_selected && !cell.scores) continue;
    add_once(shown_models, cell.model);
    add_once(shown_columns, cell.column);
  }
  keep(shown_models, shown_columns);
}

Grid plan_grid(const GridOptions& options) {
  if (!fs::is_directory(options.configs)) {
    throw Error(fmt::format(
        "{}: no such folder; run the command in the folder that contains 'configs', use "
        "--configs, or search configurations with scripts/sweep-cells.py",
        options.configs.string()));
  }
  Grid grid;
  grid.columns = all_columns(options);
  check_known(options.columns, grid.columns, options.column_word);
  std::erase_if(grid.columns,
                [&](const std::string& column) { return has(options.hidden_columns, column); });
  for (const std::string& model : options.models) nn::find_model(model);
  grid.models = all_models(options, grid.columns);
  check_known(options.models, grid.models, "model");
  const auto is_selected = [](const std::vector<std::string>& names, const std::string& name) {
    return names.empty() || has(names, name);
  };
  std::set<std::string> configured;  // of what is asked for
  for (const std::string& column : grid.columns) {
    for (const std::string& model : grid.models) {
      Cell cell;
      cell.model = model;
      cell.column = column;
      cell.score = options.score;
      cell.is_selected = is_selected(options.models, model) && is_selected(options.columns, column);
      cell.config = read_config(options, model, column);
      if (cell.config) cell.runs = make_runs(options, cell);
      cell.stored = options.results / column / (model + ".json");
      cell.paper = options.paper.find(model, column);
      if (cell.is_selected && cell.config) configured.insert(model);
      grid.cells.push_back(std::move(cell));
    }
  }
  for (const std::string& model : options.models) {
    if (!configured.contains(model))
      refuse(options, model);  // better now than a row of dashes after hours
  }
  if (configured.empty()) refuse(options, "MODEL");
  return grid;
}

}  // namespace dsnn::reproduce
