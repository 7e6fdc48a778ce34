#pragma once

#include "dsnn/config/config.h"
#include "dsnn/export.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace dsnn {

/// Training parameters, common to all models: learning rate, decay, epochs, patience, selection of
/// the best epoch, feature preparation.
DSNN_API std::vector<Parameter> training_parameters();

/// What a model predicts.
enum class TaskKind {
  kNodes,  ///< the classes of nodes
  kLinks   ///< arcs (docs/tasks.md)
};
/// "nodes" or "links". Throws Error for another word.
DSNN_API TaskKind parse_task(const std::string& word);

/// The parameters of a model, of the task and of training, with their defaults. Throws Error with
/// the closest name if the model is unknown.
DSNN_API Config default_config(const std::string& model, TaskKind task = TaskKind::kNodes);
/// The task that a configuration has the parameters of.
DSNN_API TaskKind task_of(const Config& config);

/// The configuration itself, or the model's defaults if it has no parameters. Throws Error for a
/// configuration of another model.
DSNN_API Config config_for(const std::string& model, const Config& config);

/// The configuration of a run, as in config.toml of a run and best.toml of a sweep.
struct DSNN_API RunConfig {
  std::string model;
  std::string dataset;   ///< its name
  std::string checksum;  ///< of its content; empty if unknown
  std::uint64_t seed = 0;
  Config config;

  /// One line that distinguishes runs whose results may differ.
  std::string fingerprint() const;
};

/// The configuration as TOML, with a description of each parameter.
DSNN_API std::string write_toml(const RunConfig& config);
/// Throws Error with file and line.
DSNN_API RunConfig read_toml(const std::filesystem::path& path);
/// The same from text; `where` stands for the file in errors.
DSNN_API RunConfig parse_toml(const std::string& text, const std::string& where);

}  // namespace dsnn
