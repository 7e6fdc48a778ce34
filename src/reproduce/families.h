#pragma once

#include "reproduce/document.h"
#include "reproduce/grid.h"
#include "reproduce/paired_test.h"

#include <string>
#include <vector>

namespace dsnn::reproduce {

/// A DSNN and its rival with the same maps, on the same splits.
struct FamilyComparison {
  const Cell* dsnn;
  const Cell* rival;
  std::string maps;       ///< diag, orth, gen
  Difference difference;  ///< DSNN minus the rival
  double holm = 1;        ///< the corrected p, also corrected for the number of comparisons
};

/// All trained pairs: DSNN against `rival`, "nsd" or "nsd-compl".
std::vector<FamilyComparison> compare_families(const Grid& grid, const std::string& rival);

/// A heading, a row for each kind of maps that sums up, and a row for each comparison; nothing
/// without comparisons.
void add_families(Document& document, const Grid& grid, const std::string& column_word,
                  const std::string& rival, const std::string& rival_title);

}  // namespace dsnn::reproduce
