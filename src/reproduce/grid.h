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

  /// Leaves out rows and columns of which nothing is selected and nothing is trained.
  void trim();
  /// Leaves out all models and columns but these.
  void keep(const std::vector<std::string>& these_models,
            const std::vector<std::string>& these_columns);
};

struct GridOptions {
  std::string column_word = "dataset";  ///< what a column is called in errors
  std::filesystem::path configs;        ///< holds COLUMN/MODEL.toml
  std::filesystem::path out;            ///< will hold COLUMN/MODEL
  PaperTable paper;
  std::vector<std::string> models, columns;  ///< that are selected; empty: all
  std::vector<std::string> hidden_columns;   ///< that are no part of the table
  /// Column -> the column whose configurations it takes where it has none.
  std::map<std::string, std::string> stand_ins;
  std::optional<std::uint64_t> seed;  ///< instead of those of the configurations
  /// Whether a configuration must name its column as the dataset.
  bool columns_are_datasets = true;
};

/// Reads all configurations, so that a mistake in one shows before hours of work. Throws Error for
/// it, for names that are not known, and if there is nothing to train.
Grid plan_grid(const GridOptions& options);

/// Throws Error for a name that is not known, with the nearest one that is.
void check_known(const std::vector<std::string>& names, const std::vector<std::string>& known,
                 const std::string& word);

}  // namespace dsnn::reproduce
