#include "train/part_scores.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

namespace dsnn {

void add_up(ClassCounts& counts, Ranks& ranks) {
  std::vector<double> sums = {counts.loss_sum};
  for (auto* each : {&counts.hits, &counts.predicted, &counts.actual}) {
    sums.insert(sums.end(), each->begin(), each->end());
  }
  ranks.sum(std::span(sums));
  auto from = sums.begin();
  counts.loss_sum = *from++;
  for (auto* each : {&counts.hits, &counts.predicted, &counts.actual}) {
    std::copy_n(from, each->size(), each->begin());
    from += std::ssize(*each);
  }
  const bool has_margins = counts.hits.size() == 2;
  for (auto* margins : {&counts.positives, &counts.negatives}) {
    if (!has_margins) continue;
    const auto of_ranks = ranks.gather(std::as_bytes(std::span(*margins)));
    margins->clear();
    for (const std::vector<std::byte>& bytes : of_ranks) {
      const std::size_t before = margins->size();
      margins->resize(before + bytes.size() / sizeof(double));
      if (!bytes.empty()) std::memcpy(margins->data() + before, bytes.data(), bytes.size());
    }
  }
}

}  // namespace dsnn
