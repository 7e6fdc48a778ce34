#include "dsnn/data/splits.h"

#include "dsnn/util/error.h"
#include "dsnn/util/progress.h"

#include "util/random.h"

#include <fmt/format.h>

#include <cmath>

namespace dsnn {

std::vector<Split> stratified_splits(std::span<const std::int64_t> labels, std::int64_t num_classes,
                                     SplitShares shares, int count, std::uint64_t seed) {
  if (!(shares.train >= 0 && shares.validation >= 0 && shares.train + shares.validation <= 1)) {
    throw Error(
        fmt::format("splits: shares {} and {}, expected two shares that add up to 1 at most",
                    shares.train, shares.validation));
  }
  std::vector<std::vector<std::size_t>> nodes_of_class(static_cast<std::size_t>(num_classes));
  for (std::size_t u = 0; u < labels.size(); ++u) {
    if (labels[u] >= num_classes) {
      throw Error(fmt::format("splits: node {} has label {}, expected less than {}", u, labels[u],
                              num_classes));
    }
    if (labels[u] >= 0) nodes_of_class[static_cast<std::size_t>(labels[u])].push_back(u);
  }
  Random random(seed);
  std::vector<Split> splits(static_cast<std::size_t>(count));
  for (std::size_t s = 0; s < splits.size(); ++s) {
    report_progress("splitting", static_cast<std::int64_t>(s), count);
    Split& split = splits[s];
    split.train.assign(labels.size(), 0);
    split.validation.assign(labels.size(), 0);
    split.test.assign(labels.size(), 0);
    for (std::vector<std::size_t> nodes : nodes_of_class) {
      random.shuffle(nodes);
      const auto size = static_cast<double>(nodes.size());
      const auto train_end = static_cast<std::size_t>(std::round(shares.train * size));
      const auto validation_end = std::min(
          nodes.size(), train_end + static_cast<std::size_t>(std::round(shares.validation * size)));
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        auto& mask = i < train_end        ? split.train
                     : i < validation_end ? split.validation
                                          : split.test;
        mask[nodes[i]] = 1;
      }
    }
  }
  return splits;
}

}  // namespace dsnn
