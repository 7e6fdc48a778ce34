#pragma once

#include "reproduce/cell.h"
#include "reproduce/paper.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace dsnn::reproduce {

/// The cells of a table: models by columns (datasets, or parameters of a random graph).
struct Grid {
  std::vector<std::string> models, columns;  ///< in the paper's order, then others
  std::vector<Cell> cells;                   ///< column by column, each with all models

  Cell& at(const std::string& model, const std::string& column);
  const Cell& at(const std::string& model, const std::string& column) const;
  /// The cell if the table has it and it has scores, else null.
  const Cell* scored(const std::string& model, const std::string& column) const;

  /// Removes rows and columns without selected or trained cells.
  void trim();
  /// Keeps only these models and columns.
  void keep(const std::vector<std::string>& these_models,
            const std::vector<std::string>& these_columns);
};

struct GridOptions {
  std::string column_word = "dataset";  ///< the word for a column in errors
  std::filesystem::path configs;        ///< contains COLUMN/MODEL.toml
  std::filesystem::path out;            ///< folder for seed-N/COLUMN/MODEL
  std::filesystem::path results;        ///< folder of the stored results: COLUMN/MODEL.json
  PaperTable paper;
  std::vector<std::string> models, columns;  ///< selected ones; empty: all
  std::vector<std::string> hidden_columns;   ///< not part of the table
  /// Column -> the column whose configurations it uses if it has none.
  std::map<std::string, std::string> stand_ins;
  /// Of all trainings, for these columns and for the others. The seeds of the configurations are
  /// not used: the search has chosen them.
  std::map<std::string, std::vector<std::uint64_t>> column_seeds;
  std::vector<std::uint64_t> seeds = {1};
  std::string score = "accuracy";  ///< of all cells
  /// Whether a configuration must name its column as the dataset.
  bool columns_are_datasets = true;
};

/// Reads all configurations, so that mistakes show before hours of work. Throws Error for mistakes,
/// for unknown names, and if there is nothing to train.
Grid plan_grid(const GridOptions& options);

/// The folder of the training of a cell with a seed.
std::filesystem::path run_folder(const std::filesystem::path& out, std::uint64_t seed,
                                 const std::string& column, const std::string& row);

/// Throws Error for an unknown name, with the closest known one.
void check_known(const std::vector<std::string>& names, const std::vector<std::string>& known,
                 const std::string& word);

}  // namespace dsnn::reproduce
