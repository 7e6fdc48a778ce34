#pragma once

#include "cli/command.h"
#include "reproduce/document.h"
#include "reproduce/run_cells.h"

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
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
  std::optional<std::uint64_t> seed;
  int jobs = 0;
  bool variants = false;
  bool check = false;
  std::string results = "results";
  std::string splits;

  /// Runs with another seed do not replace those without.
  std::filesystem::path with_seed(const std::filesystem::path& base) const {
    return seed ? base / fmt::format("seed-{}", *seed) : base;
  }
  /// The folder of the runs behind a table; with --check, of its stored results
  /// (results/README.md).
  std::filesystem::path folder(const std::string& table) const {
    if (!check) return with_seed(out);
    return seed ? with_seed(std::filesystem::path(results) / "seeds")
                : std::filesystem::path(results) / table;
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

/// Reads datasets from the folder.
reproduce::LoadColumn dataset_loader(const std::string& data_dir);

/// Trains the cells, or checks the stored ones, and writes the tables. Returns the exit code.
int run_work(Work work, const ReproduceArguments& arguments);

/// 'dsnn reproduce maps'.
void add_reproduce_maps(Command& reproduce, Action& action);

}  // namespace dsnn::cli
