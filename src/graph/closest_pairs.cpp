#include "graph/closest_pairs.h"

#include "dsnn/util/error.h"
#include "dsnn/util/progress.h"

#include "util/index.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

namespace dsnn {
namespace {

constexpr NodeId kLeafSize = 8;
constexpr NodeId kReportSize = 1024;  // larger subtrees report progress

struct Point {
  double x;
  double y;
};

/// Monotonic in |dx| and |dy|, including rounding: the bound of a box never exceeds the distance of
/// its points.
double squared_length(double dx, double dy) { return dx * dx + dy * dy; }

/// A pair and its place in the order of all pairs: by distance, then u, then v.
struct RankedPair {
  double squared_distance;
  NodeId u;
  NodeId v;
  bool operator<(const RankedPair& other) const {
    return std::tie(squared_distance, u, v) < std::tie(other.squared_distance, other.u, other.v);
  }
};

/// The points begin .. end-1 of the tree's order.
struct TreeNode {
  NodeId begin;
  NodeId end;
  NodeId left = -1;  // -1 for a leaf
  NodeId right = -1;
  NodeId least_id = 0;
  Point low{};  // corners of the box around them
  Point high{};
  bool is_leaf() const { return left < 0; }
};

/// The best pairs seen so far, at least as many as asked for, and a pair that the last of them does
/// not exceed.
class BestPairs {
 public:
  BestPairs(std::int64_t count, RankedPair bound) : count_(at(count)), bound_(bound) {}

  bool may_hold(const RankedPair& pair) const { return !(bound_ < pair); }
  void add(const RankedPair& pair) {
    if (!may_hold(pair)) return;
    pairs_.push_back(pair);
    if (pairs_.size() >= 2 * count_) keep_best();
  }
  std::vector<RankedPair> take() {
    if (pairs_.size() > count_) keep_best();
    return std::move(pairs_);
  }

 private:
  void keep_best() {
    const auto last = pairs_.begin() + static_cast<std::ptrdiff_t>(count_ - 1);
    std::nth_element(pairs_.begin(), last, pairs_.end());
    bound_ = *last;
    pairs_.resize(count_);
  }

  std::size_t count_;
  RankedPair bound_;
  std::vector<RankedPair> pairs_;
};

/// A k-d tree, joined with itself: pairs of tree nodes are split, the closer halves first, unless
/// their best possible pair is beyond the bound.
///
/// Coinciding points are split by number, so that later pairs of equal distance are also pruned as
/// whole subtrees.
class PairSearch {
 public:
  PairSearch(std::span<const double> positions, std::int64_t count)
      : count_(count), ids_(positions.size() / 2), points_(positions.size() / 2) {
    std::iota(ids_.begin(), ids_.end(), 0);
    build(positions, 0, num_points());
    for (std::size_t i = 0; i < ids_.size(); ++i) points_[i] = point_of(positions, ids_[i]);
  }

  std::vector<RankedPair> run() {
    BestPairs best(count_, first_bound());
    join_with_itself(0, best);
    return best.take();
  }

 private:
  NodeId num_points() const { return static_cast<NodeId>(ids_.size()); }
  static Point point_of(std::span<const double> positions, NodeId u) {
    return {positions[2 * at(u)], positions[2 * at(u) + 1]};
  }

  NodeId build(std::span<const double> positions, NodeId begin, NodeId end) {
    const auto number = static_cast<NodeId>(tree_.size());
    TreeNode node{.begin = begin, .end = end};
    node.least_id = ids_[at(begin)];
    node.low = node.high = point_of(positions, ids_[at(begin)]);
    for (NodeId i = begin; i < end; ++i) {
      const Point p = point_of(positions, ids_[at(i)]);
      node.least_id = std::min(node.least_id, ids_[at(i)]);
      node.low = {std::min(node.low.x, p.x), std::min(node.low.y, p.y)};
      node.high = {std::max(node.high.x, p.x), std::max(node.high.y, p.y)};
    }
    tree_.push_back(node);
    if (end - begin <= kLeafSize) return number;

    const std::size_t axis = node.high.x - node.low.x >= node.high.y - node.low.y ? 0 : 1;
    const NodeId middle = begin + (end - begin) / 2;
    std::nth_element(ids_.begin() + begin, ids_.begin() + middle, ids_.begin() + end,
                     [&](NodeId u, NodeId v) {
                       const double a = positions[2 * at(u) + axis];
                       const double b = positions[2 * at(v) + axis];
                       return a != b ? a < b : u < v;
                     });
    const NodeId left = build(positions, begin, middle);
    const NodeId right = build(positions, middle, end);
    tree_[at(number)].left = left;
    tree_[at(number)].right = right;
    return number;
  }

  RankedPair pair_at(NodeId i, NodeId j) const {
    const Point p = points_[at(i)];
    const Point q = points_[at(j)];
    const auto [u, v] = std::minmax(ids_[at(i)], ids_[at(j)]);
    return {squared_length(p.x - q.x, p.y - q.y), u, v};
  }

  /// The last of `count` pairs that are close to each other in the tree's order, which is one of
  /// places too.
  RankedPair first_bound() const {
    const std::int64_t n = num_points();
    const std::int64_t reach = std::min(n - 1, 2 * (count_ / n + 1));
    std::vector<RankedPair> pairs;
    pairs.reserve(at(n * reach));
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = i + 1; j <= std::min(i + reach, n - 1); ++j) {
        pairs.push_back(pair_at(static_cast<NodeId>(i), static_cast<NodeId>(j)));
      }
    }
    constexpr NodeId kLast = std::numeric_limits<NodeId>::max();
    if (static_cast<std::int64_t>(pairs.size()) < count_) {
      return {std::numeric_limits<double>::infinity(), kLast, kLast};
    }
    const auto last = pairs.begin() + (count_ - 1);
    std::nth_element(pairs.begin(), last, pairs.end());
    return *last;
  }

  /// No pair of a point of a with one of b comes before this one.
  static RankedPair lower_bound(const TreeNode& a, const TreeNode& b) {
    const double dx = std::max({0.0, b.low.x - a.high.x, a.low.x - b.high.x});
    const double dy = std::max({0.0, b.low.y - a.high.y, a.low.y - b.high.y});
    const auto [u, v] = std::minmax(a.least_id, b.least_id);
    return {squared_length(dx, dy), u, v};
  }

  void join_with_itself(NodeId number, BestPairs& best) const {
    const TreeNode& node = tree_[at(number)];
    if (!best.may_hold({0, node.least_id, node.least_id + 1})) return;
    if (node.is_leaf()) {
      for (NodeId i = node.begin; i < node.end; ++i) {
        for (NodeId j = i + 1; j < node.end; ++j) best.add(pair_at(i, j));
      }
      return;
    }
    if (node.end - node.begin > kReportSize) {
      report_progress("closest pairs", node.begin, num_points());
    }
    join_with_itself(node.left, best);
    join_with_itself(node.right, best);
    join(node.left, node.right, best);
  }

  void join(NodeId a_number, NodeId b_number, BestPairs& best) const {
    const TreeNode& a = tree_[at(a_number)];
    const TreeNode& b = tree_[at(b_number)];
    if (!best.may_hold(lower_bound(a, b))) return;
    if (a.is_leaf() && b.is_leaf()) {
      for (NodeId i = a.begin; i < a.end; ++i) {
        for (NodeId j = b.begin; j < b.end; ++j) best.add(pair_at(i, j));
      }
      return;
    }
    if (a.end - a.begin < b.end - b.begin) return join(b_number, a_number, best);  // splits a
    NodeId first = a.left;
    NodeId second = a.right;
    if (lower_bound(tree_[at(second)], b) < lower_bound(tree_[at(first)], b)) {
      std::swap(first, second);
    }
    join(first, b_number, best);
    join(second, b_number, best);
  }

  std::int64_t count_;
  std::vector<NodeId> ids_;    // the points in the tree's order
  std::vector<Point> points_;  // in the tree's order
  std::vector<TreeNode> tree_;
};

}  // namespace

std::vector<NodePair> closest_pairs(std::span<const double> positions, std::int64_t count) {
  for (std::size_t i = 0; i < positions.size(); ++i) {
    if (!std::isfinite(positions[i])) {
      throw Error(
          fmt::format("closest pairs: the position of point {} is {}, expected a finite value",
                      i / 2, positions[i]));
    }
  }
  const auto n = static_cast<std::int64_t>(positions.size() / 2);
  count = std::min(count, n * (n - 1) / 2);
  if (count <= 0) return {};

  std::vector<NodePair> result;
  result.reserve(at(count));
  for (const RankedPair& pair : PairSearch(positions, count).run()) {
    result.push_back({pair.u, pair.v});
  }
  std::sort(result.begin(), result.end(), [](const NodePair& a, const NodePair& b) {
    return a.u != b.u ? a.u < b.u : a.v < b.v;
  });
  return result;
}

}  // namespace dsnn
