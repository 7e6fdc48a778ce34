#pragma once

#include "dsnn/data/dataset.h"

#include "reproduce/report.h"

#include <span>
#include <string>
#include <vector>

namespace dsnn::reproduce {

/// Two versions of a dataset: the one of the main table, and one that differs in what is in doubt.
struct VariantPair {
  std::string dataset, counterpart;
  std::string what;               ///< how they differ, a sentence
  bool counterpart_is_published;  ///< which of them the paper's program used

  const std::string& published() const { return counterpart_is_published ? counterpart : dataset; }
  const std::string& corrected() const { return counterpart_is_published ? dataset : counterpart; }
};
std::span<const VariantPair> variant_pairs();

/// The models that are trained on both: the sheaf networks.
std::vector<std::string> variant_models();

/// Whether the splits are of the same nodes, so that scores can be compared pair by pair. Equal
/// masks are not enough: the nodes may be in another order, which neither the pairs of neighbours
/// nor the labels would survive.
bool have_same_nodes(const Dataset& first, const Dataset& second);

/// Moves the paper's numbers to the versions that its program used.
void compare_published_with_paper(Grid& grid, std::span<const VariantPair> pairs);

/// Both numbers of each model, corrected minus published.
struct VariantReport {
  std::vector<VariantPair> pairs;
  std::vector<bool> is_paired;  ///< for each pair
};
Document make_variant_report(const Grid& grid, const VariantReport& report);
std::string variant_csv(const Grid& grid, const VariantReport& report);

}  // namespace dsnn::reproduce
