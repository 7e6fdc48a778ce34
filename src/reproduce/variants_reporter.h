#pragma once

#include "reproduce/missing_class.h"
#include "reproduce/report.h"
#include "reproduce/run_cells.h"
#include "reproduce/variants.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace dsnn::reproduce {

/// The properties of the datasets for the report of variants; they are read on first use.
class VariantsReporter {
 public:
  VariantsReporter(std::vector<VariantPair> pairs, LoadColumn load)
      : pairs_(std::move(pairs)), load_(std::move(load)) {}

  Document report(const Grid& grid) {
    Document document = make_variant_report(grid, known(grid));
    for (MissingClass& each : missing_) each.add_to(document, grid);
    add_footer(document, grid);
    return document;
  }
  const VariantReport& known(const Grid& grid) {
    if (!report_.pairs.empty()) return report_;
    for (const VariantPair& pair : pairs_) {
      // Of an unselected pair, only the version of the main table may be trained.
      const bool is_shown = std::ranges::find(grid.columns, pair.dataset) != grid.columns.end() &&
                            std::ranges::find(grid.columns, pair.counterpart) != grid.columns.end();
      if (!is_shown) continue;
      const Dataset published = load_(pair.published()), corrected = load_(pair.corrected());
      report_.pairs.push_back(pair);
      report_.is_paired.push_back(have_same_nodes(published, corrected));
      missing_.emplace_back(pair, corrected, published);
    }
    return report_;
  }

 private:
  std::vector<VariantPair> pairs_;
  LoadColumn load_;
  VariantReport report_;
  std::vector<MissingClass> missing_;
};

}  // namespace dsnn::reproduce
