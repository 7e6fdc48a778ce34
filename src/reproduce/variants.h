#pragma once

#include "dsnn/data/dataset.h"

#include "reproduce/report.h"

#include <span>
#include <string>
#include <vector>

namespace dsnn::reproduce {

/// Two versions of a dataset: the one of the main table, and one that differs in a doubtful point.
struct VariantPair {
  std::string dataset, counterpart;
  std::string what;               ///< a sentence about the difference
  bool counterpart_is_published;  ///< whether the paper's program used the counterpart

  const std::string& published() const { return counterpart_is_published ? counterpart : dataset; }
  const std::string& corrected() const { return counterpart_is_published ? dataset : counterpart; }
};
std::span<const VariantPair> variant_pairs();

/// The models that are trained on both: the sheaf networks.
std::vector<std::string> variant_models();

/// Whether the splits contain the same nodes, so that scores can be compared pair by pair. Equal
/// masks are not sufficient: the nodes may be in a different order, which would change the pairs of
/// neighbours and the labels.
bool have_same_nodes(const Dataset& first, const Dataset& second);

/// Moves the paper's results to the versions that its program used.
void compare_published_with_paper(Grid& grid, std::span<const VariantPair> pairs);

/// Both results of each model, and the difference corrected minus published.
struct VariantReport {
  std::vector<VariantPair> pairs;
  std::vector<bool> is_paired;  ///< for each pair
};
Document make_variant_report(const Grid& grid, const VariantReport& report);
std::string variant_csv(const Grid& grid, const VariantReport& report);

}  // namespace dsnn::reproduce
