#pragma once

#include "reproduce/grid.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

// The seeds of tables. The seed of a configuration is one of the parameters that the search chose,
// so its scores are too good; tables are trained with other seeds.
namespace dsnn::reproduce {

/// The seeds of Table 1 for the graphs that get several: those whose test sets are smallest.
std::map<std::string, std::vector<std::uint64_t>> table1_seeds();

/// "81.23 +- 4.56", with the deviation over several seeds "81.23 +- 4.56 (seeds 0.78)", with the
/// seed of the search "81.23 +- 4.56 (search)".
std::string seeds_score_text(const CellScores& scores);

/// Which cells are trained with which seeds; empty without scores.
std::string seeds_text(const Grid& grid);

}  // namespace dsnn::reproduce
