#pragma once

#include "dsnn/config/config.h"
#include "dsnn/export.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace dsnn {

/// What a parameter is searched in: a list of values, or a range of numbers.
struct Dimension {
  std::string name;
  std::vector<ParameterValue> values;  ///< one of these; empty for a range
  double from = 0, to = 0;             ///< a number of this range, ends included,
  bool is_log = false;                 ///< uniform, or uniform in its logarithm
  std::string where = {};  ///< file and line, for messages; empty if it is not from a file
};

enum class SweepMethod {
  kGrid,    ///< every combination of the values, in order
  kRandom,  ///< each trial draws its own
  kHalving  ///< the same, but all start small, and the better ones go on [eq:halving]
};

/// How far a trial is trained: on the first `splits` splits (0: all), each for so many epochs at
/// most (0: as many as the configuration says).
struct Rung {
  int splits = 0;
  std::int64_t epochs = 0;
};

/// A space of configurations, and how it is searched.
struct SearchSpace {
  SweepMethod method = SweepMethod::kRandom;
  std::vector<Dimension> dimensions;
  std::vector<Rung> rungs = {{}};  ///< one, unless the method is kHalving
  int keep = 3;                    ///< one of so many trials goes on to the next rung

  /// Combinations of a grid.
  DSNN_API std::int64_t grid_size() const;
};

/// Reads a space (docs/sweeps.md has the format). Throws Error with file and line.
DSNN_API SearchSpace read_space(const std::filesystem::path& path);

/// Those dimensions that are parameters of a model, which are checked against what it allows.
/// Parameters of other models only are left out; their names come back in `left_out`. Throws Error
/// for a name that no model knows, and for values that it does not allow.
DSNN_API SearchSpace space_for_model(const SearchSpace& space, const std::string& model,
                                     std::vector<std::string>& left_out);

/// The configuration of a trial, drawn from the seed and its number alone; for a grid, combination
/// number `trial`.
DSNN_API Config trial_config(const SearchSpace& space, const Config& base, std::uint64_t seed,
                             std::int64_t trial);
/// The seed that it trains with.
DSNN_API std::uint64_t trial_seed(std::uint64_t seed, std::int64_t trial);

}  // namespace dsnn
