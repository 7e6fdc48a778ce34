#pragma once

#include "dsnn/config/config.h"
#include "dsnn/export.h"
#include "dsnn/train/run_config.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace dsnn {

/// The values of a searched parameter: a list, or a range of numbers.
struct Dimension {
  std::string name;
  std::vector<ParameterValue> values;  ///< list of values; empty for a range
  double from = 0, to = 0;             ///< range, including both ends
  bool is_log = false;                 ///< uniform in the logarithm
  std::string where = {};  ///< file and line, for messages; empty if it is not from a file
};

enum class SweepMethod {
  kGrid,    ///< every combination of the values, in order
  kRandom,  ///< every trial is drawn at random
  kHalving  ///< random, but all start small and only the better ones continue [eq:halving]
};

/// How far a trial is trained: on the first `splits` splits (0: all), each for at most `epochs`
/// epochs (0: as in the configuration).
struct Rung {
  int splits = 0;
  std::int64_t epochs = 0;
};

/// A space of configurations and the search method.
struct SearchSpace {
  SweepMethod method = SweepMethod::kRandom;
  std::vector<Dimension> dimensions;
  /// Of single models: they replace dimensions with the same name, or are added.
  std::map<std::string, std::vector<Dimension>> of_models = {};
  std::vector<Rung> rungs = {{}};  ///< one, unless the method is kHalving
  int keep = 3;                    ///< one of this many trials continues to the next rung

  /// The number of combinations of a grid.
  DSNN_API std::int64_t grid_size() const;
};

/// Reads a space (docs/sweeps.md has the format). Throws Error with file and line.
DSNN_API SearchSpace read_space(const std::filesystem::path& path);

/// The dimensions that are parameters of a model and a task, its own ones instead of the general
/// ones, checked against its allowed values. Parameters of other models are dropped; `left_out`
/// returns their names. Throws Error for names unknown to all models and for values that are not
/// allowed.
DSNN_API SearchSpace space_for_model(const SearchSpace& space, const std::string& model,
                                     std::vector<std::string>& left_out,
                                     TaskKind task = TaskKind::kNodes);

/// The configuration of a trial, a function of the seed and the trial number; for a grid,
/// combination number `trial`.
DSNN_API Config trial_config(const SearchSpace& space, const Config& base, std::uint64_t seed,
                             std::int64_t trial);
/// The training seed of a trial.
DSNN_API std::uint64_t trial_seed(std::uint64_t seed, std::int64_t trial);

}  // namespace dsnn
