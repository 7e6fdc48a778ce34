#pragma once

#include "reproduce/document.h"
#include "reproduce/grid.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

// What a user would run: for each dataset the model with the best validation score, as an ensemble.
namespace dsnn::reproduce {

/// Networks in an ensemble.
inline constexpr int kEnsembleMembers = 8;

struct EnsembleOptions {
  std::filesystem::path out;         ///< folder for seed-N/COLUMN/MODEL/member-K
  std::filesystem::path results;     ///< folder of the stored results: COLUMN/MODEL.json
  std::vector<std::uint64_t> seeds;  ///< the first seed of the members
  bool is_stored = false;            ///< the ensembles with a stored result, not the best
};

/// One cell for each column of the table: of its selected cells the one with the best validation
/// score. Throws Error if there is none.
Grid plan_ensembles(const Grid& table, const EnsembleOptions& options);

/// Each ensemble next to the network of the table that it consists of.
Document make_ensembles_report(const Grid& ensembles, const Grid& table);
std::string ensembles_csv(const Grid& ensembles, const Grid& table);

}  // namespace dsnn::reproduce
