#pragma once

#include "dsnn/data/dataset.h"

#include "reproduce/document.h"
#include "reproduce/grid.h"

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

// What learned maps and the phase add: sheaf networks with learned, random and identity maps, with
// and without the phase, each with parameters of its own.
namespace dsnn::reproduce {

/// A row of the table.
struct MapsRow {
  std::string name;    ///< "diag-dsnn-random", "dsnn-identity"
  std::string model;   ///< the model that is trained
  std::string family;  ///< "diag"; empty for identity maps, which have none
  std::string field;   ///< "dsnn" or "nsd"
  std::string maps;    ///< the parameter of this name
};
std::span<const MapsRow> maps_rows();

/// The columns: names of datasets, and "blocks-BETA" for block models.
std::vector<std::string> maps_columns();
/// The block model of a column, if it is one: communities that differ only in arc directions.
bool is_block_model(const std::string& column);
Dataset block_model(const std::string& column);

struct MapsOptions {
  std::filesystem::path configs;           ///< contains COLUMN/ROW.toml
  std::filesystem::path out;               ///< folder for seed-N/COLUMN/ROW
  std::filesystem::path results;           ///< folder of the stored results: COLUMN/ROW.json
  std::vector<std::string> columns, rows;  ///< selected ones; empty: all
  std::vector<std::uint64_t> seeds = {1, 2, 3};
};

/// All cells, those of one column after each other; cells without a configuration are not searched
/// yet. Throws Error for unknown names,
/// configurations of another model or other maps, and if there is nothing to train.
Grid plan_maps(const MapsOptions& options);

/// Accuracies by row and column, then the questions: what do learned maps add, and the phase?
Document make_maps_report(const Grid& grid);
/// A row for each cell, and the answers as JSON.
std::string maps_csv(const Grid& grid);
std::string maps_json(const Grid& grid);

}  // namespace dsnn::reproduce
