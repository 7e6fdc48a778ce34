#pragma once

#include "dsnn/data/dataset.h"

#include "reproduce/document.h"
#include "reproduce/grid.h"
#include "reproduce/variants.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace dsnn::reproduce {

/// Classes that test sets of the first have and none of the second has.
std::vector<std::int64_t> untested_classes(const Dataset& first, const Dataset& second);

/// The effect on accuracy of a class that the published version of a dataset never tests: the same
/// trained models on all test nodes of the corrected version and on those of the other classes,
/// next to the published version.
class MissingClass {
 public:
  MissingClass(VariantPair pair, const Dataset& corrected, const Dataset& published);

  /// A heading, a paragraph and a table; nothing if no class is missing or no model is trained.
  void add_to(Document& document, const Grid& grid);

 private:
  VariantPair pair_;
  std::vector<std::int64_t> classes_;
  Dataset others_;  ///< the corrected version without labels of the missing classes
  /// Scores of models on others_, computed on demand; nothing if the weights are deleted.
  std::map<std::string, std::optional<MeanAndDeviation>> scores_;
};

}  // namespace dsnn::reproduce
