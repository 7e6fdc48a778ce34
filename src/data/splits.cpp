#include "dsnn/data/splits.h"

#include "dsnn/util/error.h"
#include "dsnn/util/progress.h"

#include "util/index.h"
#include "util/random.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace dsnn {
namespace {

/// How many of k nodes of a class train, and how many validate; no more than k together.
struct Parts {
  std::size_t train, validation;
};
using Divide = std::function<Parts(std::size_t)>;

std::vector<Split> draw_splits(std::span<const std::int64_t> labels, std::int64_t num_classes,
                               const Divide& divide, int count, std::uint64_t seed) {
  std::vector<std::vector<std::size_t>> nodes_of_class(at(num_classes));
  for (std::size_t u = 0; u < labels.size(); ++u) {
    if (labels[u] >= num_classes) {
      throw Error(fmt::format("splits: node {} has label {}, expected less than {}", u, labels[u],
                              num_classes));
    }
    if (labels[u] >= 0) nodes_of_class[at(labels[u])].push_back(u);
  }
  Random random(seed);
  std::vector<Split> splits(at(count));
  for (std::size_t s = 0; s < splits.size(); ++s) {
    report_progress("splitting", static_cast<std::int64_t>(s), count);
    Split& split = splits[s];
    split.train.assign(labels.size(), 0);
    split.validation.assign(labels.size(), 0);
    split.test.assign(labels.size(), 0);
    for (std::vector<std::size_t> nodes : nodes_of_class) {
      random.shuffle(nodes);
      const Parts parts = divide(nodes.size());
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        auto& mask = i < parts.train                      ? split.train
                     : i < parts.train + parts.validation ? split.validation
                                                          : split.test;
        mask[nodes[i]] = 1;
      }
    }
  }
  return splits;
}

}  // namespace

std::vector<Split> stratified_splits(std::span<const std::int64_t> labels, std::int64_t num_classes,
                                     SplitShares shares, int count, std::uint64_t seed) {
  if (!(shares.train >= 0 && shares.validation >= 0 &&
        shares.train + shares.validation <= 1 + 1e-9)) {
    throw Error(
        fmt::format("splits: shares {} and {}, expected two shares that add up to 1 at most",
                    shares.train, shares.validation));
  }
  const auto divide = [&](std::size_t k) -> Parts {
    const auto round = [&](double share) {
      return static_cast<std::size_t>(std::round(share * static_cast<double>(k)));
    };
    const std::size_t train = std::min(k, round(shares.train));
    return {train, std::min(k - train, round(shares.validation))};
  };
  return draw_splits(labels, num_classes, divide, count, seed);
}

std::vector<Split> per_class_splits(std::span<const std::int64_t> labels, std::int64_t num_classes,
                                    SplitCounts counts, int count, std::uint64_t seed) {
  if (counts.train < 0 || counts.validation < 0) {
    throw Error(fmt::format("splits: {} and {} nodes of each class, expected 0 or more",
                            counts.train, counts.validation));
  }
  const auto divide = [&](std::size_t k) -> Parts {
    const std::size_t train = std::min(k, at(counts.train));
    return {train, std::min(k - train, at(counts.validation))};
  };
  return draw_splits(labels, num_classes, divide, count, seed);
}

}  // namespace dsnn
