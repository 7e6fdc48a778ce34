#pragma once

#include "cli/command.h"
#include "reproduce/document.h"
#include "reproduce/run_cells.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

// Parts of the subcommands of 'dsnn reproduce'.
namespace dsnn::cli {

/// The arguments of all its subcommands.
struct ReproduceArguments {
  std::vector<std::string> columns, models;  // empty: all
  std::string configs = "configs";
  std::string paper;
  std::string data_dir;
  std::string out;
  std::vector<std::string> seed_texts;
  std::vector<std::uint64_t> seeds;  // empty: those of the table
  int jobs = 0;
  bool variants = false, as_released = false, ensembles = false;
  bool check = false, no_training = false;
  std::string device = "cpu";
  std::string results = "results";
  std::string splits;

  /// The folder of the runs behind a table; those of Table 1 and Figure 2 are in `base` itself.
  static std::filesystem::path runs(const std::filesystem::path& base, const std::string& table) {
    return table == "table1" || table == "figure2" ? base : base / table;
  }
  /// The folder of its stored results (results/README.md).
  std::filesystem::path stored(const std::string& table) const {
    return std::filesystem::path(results) / table;
  }
};

/// A table to train and the files written from it.
struct Work {
  std::string name;   // of its files
  std::string table;  // of its configurations and stored results
  reproduce::Grid grid;
  reproduce::LoadColumn load;
  std::function<reproduce::Document(const reproduce::Grid&)> report;
  std::function<std::string(const reproduce::Grid&)> csv;
  std::function<std::string(const reproduce::Grid&)> json = {};
};

/// What all tables share: configurations, the paper's results, folders, seeds, what is selected.
reproduce::GridOptions grid_options(const ReproduceArguments& arguments, const std::string& table);
/// Reports missing datasets before hours of work. A check skips missing datasets unless named.
void check_datasets(const reproduce::Grid& grid, const ReproduceArguments& arguments);

/// Adds a subcommand with the options of all tables. `rows` describes what --models selects.
Command* add_table_command(
    Command& reproduce, const char* name, const char* help, ReproduceArguments& arguments,
    const char* rows = "Train only these models, such as diag-dsnn,diag-nsd");
/// Adds --datasets and --data-dir.
void add_dataset_options(Command& command, ReproduceArguments& arguments, const char* help);

/// Reads datasets from the folder.
reproduce::LoadColumn dataset_loader(const std::string& data_dir);

/// Trains the cells, or checks the stored ones, and writes the tables. Returns the exit code.
int run_work(Work work, const ReproduceArguments& arguments);

/// 'dsnn reproduce table1' and 'dsnn reproduce maps'.
void add_reproduce_table1(Command& reproduce, Action& action, const char* footer);
void add_reproduce_maps(Command& reproduce, Action& action);

}  // namespace dsnn::cli
