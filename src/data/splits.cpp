#include "dsnn/data/splits.h"

#include "dsnn/util/error.h"
#include "dsnn/util/progress.h"
#include "dsnn/util/random.h"

#include "util/index.h"
#include "util/numpy_random.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace dsnn {
namespace {

using Nodes = std::vector<std::size_t>;

void check_shares(SplitShares shares) {
  constexpr double kRounding = 1e-9;
  if (shares.train >= 0 && shares.validation >= 0 &&
      shares.train + shares.validation <= 1 + kRounding) {
    return;
  }
  throw Error(fmt::format("splits: shares {} and {}, expected two shares that add up to at most 1",
                          shares.train, shares.validation));
}

std::vector<Nodes> nodes_by_class(std::span<const std::int64_t> labels, std::int64_t num_classes) {
  std::vector<Nodes> nodes_of_class(at(num_classes));
  for (std::size_t u = 0; u < labels.size(); ++u) {
    if (labels[u] >= num_classes) {
      throw Error(fmt::format("splits: node {} has label {}, expected less than {}", u, labels[u],
                              num_classes));
    }
    if (labels[u] >= 0) nodes_of_class[at(labels[u])].push_back(u);
  }
  return nodes_of_class;
}

/// The first nodes become training nodes, the next validation, the rest test.
void deal(const Nodes& nodes, double num_train, double num_validation, Split& split) {
  const auto all = static_cast<double>(nodes.size());
  const auto train_end = static_cast<std::size_t>(std::min(all, num_train));
  const auto validation_end = static_cast<std::size_t>(std::min(all, num_train + num_validation));
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    auto& mask = i < train_end ? split.train : i < validation_end ? split.validation : split.test;
    mask[nodes[i]] = 1;
  }
}

/// `count` splits; draw(s, nodes of each class, split) deals the nodes of split s.
template <class Draw>
std::vector<Split> draw_splits(std::span<const std::int64_t> labels, std::int64_t num_classes,
                               int count, const Draw& draw) {
  const std::vector<Nodes> nodes_of_class = nodes_by_class(labels, num_classes);
  const std::vector<std::uint8_t> none(labels.size(), 0);
  std::vector<Split> splits;
  for (int s = 0; s < count; ++s) {
    report_progress("splitting", s, count);
    splits.push_back({none, none, none});
    draw(s, nodes_of_class, splits.back());
  }
  return splits;
}

}  // namespace

std::vector<Split> stratified_splits(std::span<const std::int64_t> labels, std::int64_t num_classes,
                                     SplitShares shares, int count, std::uint64_t seed) {
  check_shares(shares);
  Random random(seed);
  return draw_splits(
      labels, num_classes, count, [&](int, const std::vector<Nodes>& nodes_of_class, Split& split) {
        for (Nodes nodes : nodes_of_class) {
          random.shuffle(nodes);
          const auto size = static_cast<double>(nodes.size());
          deal(nodes, std::round(shares.train * size), std::round(shares.validation * size), split);
        }
      });
}

std::vector<Split> per_class_splits(std::span<const std::int64_t> labels, std::int64_t num_classes,
                                    SplitCounts counts, int count, std::uint64_t seed) {
  if (counts.train < 0 || counts.validation < 0) {
    throw Error(fmt::format("splits: {} and {} nodes per class, expected 0 or more", counts.train,
                            counts.validation));
  }
  Random random(seed);
  return draw_splits(labels, num_classes, count,
                     [&](int, const std::vector<Nodes>& nodes_of_class, Split& split) {
                       for (Nodes nodes : nodes_of_class) {
                         random.shuffle(nodes);
                         deal(nodes, static_cast<double>(counts.train),
                              static_cast<double>(counts.validation), split);
                       }
                     });
}

std::vector<Split> numpy_stratified_splits(std::span<const std::int64_t> labels,
                                           std::int64_t num_classes, SplitShares shares,
                                           int count) {
  check_shares(shares);
  return draw_splits(labels, num_classes, count,
                     [&](int s, const std::vector<Nodes>& nodes_of_class, Split& split) {
                       NumpyRandom random(static_cast<std::uint64_t>(s));
                       for (const Nodes& nodes : nodes_of_class) {
                         const auto size = static_cast<double>(nodes.size());
                         // As std::round, but to even.
                         deal(random.permutation(nodes), std::nearbyint(shares.train * size),
                              std::nearbyint(shares.validation * size), split);
                       }
                     });
}

}  // namespace dsnn
