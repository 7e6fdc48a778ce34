#pragma once

#include "dsnn/config/config.h"
#include "dsnn/export.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace dsnn {

/// Parameters of training, which every model has: rate, decay, epochs, patience, what chooses the
/// best epoch, how features are normalised.
DSNN_API std::vector<Parameter> training_parameters();

/// The parameters of a model and of its training, all with their defaults. Throws Error with the
/// nearest name if there is no such model.
DSNN_API Config default_config(const std::string& model);

/// The configuration if it is one of that model; the model's defaults for one without parameters.
/// Throws Error for one of another model.
DSNN_API Config config_for(const std::string& model, const Config& config);

/// What a run is started with, as config.toml of a run and best.toml of a sweep have it.
struct DSNN_API RunConfig {
  std::string model;
  std::string dataset;   ///< its name
  std::string checksum;  ///< of its content; empty where that is not known
  std::uint64_t seed = 0;
  Config config;

  /// One line that tells runs apart whose results may differ.
  std::string fingerprint() const;
};

/// As TOML, each parameter with what it means.
DSNN_API std::string write_toml(const RunConfig& config);
/// Throws Error with file and line.
DSNN_API RunConfig read_toml(const std::filesystem::path& path);
/// The same from text; `where` stands for the file in errors.
DSNN_API RunConfig parse_toml(const std::string& text, const std::string& where);

}  // namespace dsnn
