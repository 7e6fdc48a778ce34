#include "dsnn/graph/dsbm.h"

#include "dsnn/util/error.h"
#include "dsnn/util/progress.h"
#include "dsnn/util/random.h"

#include "util/portable_math.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <utility>

namespace dsnn {
namespace {

void check_probability(const char* name, double value) {
  if (!(value >= 0 && value <= 1)) {
    throw Error(fmt::format("dsbm: {} is {}, expected a probability from 0 to 1", name, value));
  }
}

void check(const DsbmOptions& options) {
  if (options.num_nodes < 1) {
    throw Error(
        fmt::format("dsbm: the number of nodes is {}, expected 1 or more", options.num_nodes));
  }
  if (options.num_communities < 1 || options.num_communities > options.num_nodes) {
    throw Error(fmt::format("dsbm: the number of communities is {}, expected 1 to {} (the nodes)",
                            options.num_communities, options.num_nodes));
  }
  check_probability("alpha_in", options.alpha_in);
  check_probability("alpha_out", options.alpha_out);
  check_probability("beta", options.beta);
}

/// First node of community c: runs of n/C nodes, the first n mod C of them one longer.
std::int64_t community_begin(const DsbmOptions& options, std::int64_t c) {
  const std::int64_t size = options.num_nodes / options.num_communities;
  const std::int64_t longer = options.num_nodes % options.num_communities;
  return c * size + std::min(c, longer);
}

/// Calls visit(k) for each k in [0, count) independently with probability p, in increasing order.
/// The gap to the next k is geometric, so the time is proportional to the visits and not to count.
template <class Visit>
void sample_bernoulli(std::int64_t count, double p, Random& random, Visit visit) {
  if (p <= 0) return;
  const double log_miss = portable::log1p(-p);  // -infinity for p = 1: every gap is 0
  for (std::int64_t k = 0;; ++k) {
    const double gap = std::floor(portable::log1p(-random.uniform()) / log_miss);
    if (!(gap < static_cast<double>(count - k))) return;
    k += static_cast<std::int64_t>(gap);
    visit(k);
  }
}

/// The k-th pair (row, column) with column < row, rows in order: k = row (row - 1) / 2 + column.
std::pair<std::int64_t, std::int64_t> triangle_pair(std::int64_t k) {
  auto row = static_cast<std::int64_t>((1 + std::sqrt(1 + 8 * static_cast<double>(k))) / 2);
  while (row * (row - 1) / 2 > k) --row;  // the root may be off by one for large k
  while (row * (row + 1) / 2 <= k) ++row;
  return {row, k - row * (row - 1) / 2};
}

}  // namespace

std::vector<std::int64_t> dsbm_communities(const DsbmOptions& options) {
  check(options);
  std::vector<std::int64_t> result(static_cast<std::size_t>(options.num_nodes));
  for (std::int64_t c = 0; c < options.num_communities; ++c) {
    for (std::int64_t u = community_begin(options, c); u < community_begin(options, c + 1); ++u) {
      result[static_cast<std::size_t>(u)] = c;
    }
  }
  return result;
}

std::vector<Arc> sample_dsbm(const DsbmOptions& options) {
  check(options);
  Random random(options.seed);
  std::vector<Arc> arcs;
  auto add = [&](std::int64_t u, std::int64_t v, double forward) {
    if (!(random.uniform() < forward)) std::swap(u, v);
    arcs.push_back({static_cast<NodeId>(u), static_cast<NodeId>(v)});
    if (arcs.size() % (1U << 20) == 0) {
      report_progress("sampling edges", static_cast<std::int64_t>(arcs.size()), 0);
    }
  };
  const std::int64_t num_communities = options.num_communities;
  for (std::int64_t i = 0; i < num_communities; ++i) {
    report_progress("sampling communities", i, num_communities);
    const std::int64_t begin = community_begin(options, i);
    const std::int64_t size = community_begin(options, i + 1) - begin;
    sample_bernoulli(size * (size - 1) / 2, options.alpha_in, random, [&](std::int64_t k) {
      const auto [row, column] = triangle_pair(k);
      add(begin + column, begin + row, 0.5);
    });
    // All later communities at once: their nodes are consecutive, and beta is the same for all.
    const std::int64_t rest_begin = begin + size;
    const std::int64_t rest = options.num_nodes - rest_begin;
    sample_bernoulli(size * rest, options.alpha_out, random, [&](std::int64_t k) {
      add(begin + k / rest, rest_begin + k % rest, options.beta);
    });
  }
  return arcs;
}

}  // namespace dsnn
