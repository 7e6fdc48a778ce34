#include "graph/latent_space.h"

#include "dsnn/util/error.h"
#include "dsnn/util/progress.h"
#include "dsnn/util/random.h"

#include "graph/closest_pairs.h"
#include "graph/hop_distances.h"
#include "util/eigen_solver.h"
#include "util/index.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <vector>

namespace dsnn {
namespace {

// An eigenvalue below this share of the largest is treated as 0: its axis would be rounding errors.
constexpr double kLeastEigenvalue = 1e-10;
constexpr int kPositionBits = 30;

/// Chosen at random: the most distant nodes would be in small components or at ends of long
/// branches.
std::vector<NodeId> choose_landmarks(NodeId num_nodes, const IsomapOptions& options) {
  std::vector<NodeId> nodes(at(num_nodes));
  std::iota(nodes.begin(), nodes.end(), 0);
  if (num_nodes <= options.num_landmarks) return nodes;
  Random random(options.seed);
  random.shuffle(nodes);
  nodes.resize(at(options.num_landmarks));
  std::sort(nodes.begin(), nodes.end());
  return nodes;
}

/// Calls visit(first, distances) for batches of 64 landmarks (the last may be smaller): those from
/// `first` on, and the hop distances [n, 64] from them. The distances are computed twice, because
/// storing all of them would take gigabytes for a large graph.
template <class Visit>
void for_each_batch(const DirectedGraph& graph, std::span<const NodeId> landmarks,
                    const char* stage, Visit visit) {
  for (std::size_t first = 0; first < landmarks.size(); first += at(kMaxHopSources)) {
    report_progress(stage, static_cast<std::int64_t>(first),
                    static_cast<std::int64_t>(landmarks.size()));
    const std::size_t size = std::min(landmarks.size() - first, at(kMaxHopSources));
    visit(static_cast<std::int64_t>(first), hop_distances(graph, landmarks.subspan(first, size)));
  }
}

/// Squared distances between landmarks, and between components.
struct LandmarkDistances {
  std::vector<double> squared;  // [L, L]
  NodeId between_components = 1;
  double square(NodeId hops) const {
    const double distance = hops == kNoPath ? between_components : hops;
    return distance * distance;
  }
};

LandmarkDistances landmark_distances(const DirectedGraph& graph,
                                     std::span<const NodeId> landmarks) {
  const auto num_landmarks = static_cast<std::int64_t>(landmarks.size());
  LandmarkDistances result;
  std::vector<NodeId> hops(at(num_landmarks * num_landmarks));
  NodeId largest = 0;
  for_each_batch(graph, landmarks, "landmark distances",
                 [&](std::int64_t first, const std::vector<NodeId>& distances) {
                   largest = std::max(largest, *std::ranges::max_element(distances));
                   const std::int64_t size = std::ssize(distances) / graph.num_nodes();
                   for (std::int64_t i = 0; i < num_landmarks; ++i) {
                     const NodeId* row = &distances[at(landmarks[at(i)] * size)];
                     for (std::int64_t j = 0; j < size; ++j) {
                       hops[at((first + j) * num_landmarks + i)] = row[j];
                     }
                   }
                 });
  result.between_components = largest + 1;
  for (const NodeId h : hops) result.squared.push_back(result.square(h));
  return result;
}

/// The direction of an axis is not determined; see isomap().
void fix_sign(std::span<double> axis) {
  double furthest = 0;
  for (const double entry : axis) furthest = std::max(furthest, std::abs(entry));
  furthest *= 1 - 1e-6;
  for (const double entry : axis) {
    if (std::abs(entry) < furthest) continue;
    if (entry < 0) {
      for (double& z : axis) z = -z;
    }
    return;
  }
}

/// The mean of each row.
std::vector<double> row_means(const std::vector<double>& squared, std::int64_t size) {
  std::vector<double> means;
  for (std::int64_t i = 0; i < size; ++i) {
    const auto row = squared.begin() + i * size;
    means.push_back(std::accumulate(row, row + size, 0.0) / static_cast<double>(size));
  }
  return means;
}

/// Classical scaling: rows v_k / sqrt(lambda_k) for the two largest eigenvalues of the doubly
/// centred matrix, 0 for those that are not positive. [2, L]
std::vector<double> triangulation(const std::vector<double>& squared,
                                  const std::vector<double>& means) {
  const std::int64_t size = std::ssize(means);
  const double mean = std::accumulate(means.begin(), means.end(), 0.0) / static_cast<double>(size);
  std::vector<double> centred(squared.size());
  for (std::int64_t i = 0; i < size; ++i) {
    for (std::int64_t j = 0; j < size; ++j) {
      centred[at(i * size + j)] =
          -0.5 * (squared[at(i * size + j)] - means[at(i)] - means[at(j)] + mean);
    }
  }
  auto [values, vectors] = solve_symmetric(centred);  // ascending
  const double least =
      kLeastEigenvalue * std::max(std::abs(values.front()), std::abs(values.back()));
  std::vector<double> result(at(2 * size), 0);
  for (std::int64_t k = 0; k < std::min<std::int64_t>(2, size); ++k) {
    const double lambda = values[at(size - 1 - k)];
    if (lambda <= least) break;
    const std::span<double> axis(vectors.data() + (size - 1 - k) * size, at(size));
    fix_sign(axis);
    for (std::int64_t i = 0; i < size; ++i) {
      result[at(k * size + i)] = axis[at(i)] / std::sqrt(lambda);
    }
  }
  return result;
}

void round_off(std::vector<double>& positions) {
  double largest = 0;
  for (const double z : positions) largest = std::max(largest, std::abs(z));
  if (largest == 0) return;
  const double step = std::ldexp(1.0, std::ilogb(largest) - kPositionBits);
  for (double& z : positions) z = std::round(z / step) * step;
}

}  // namespace

LatentSpace isomap(const DirectedGraph& graph, const IsomapOptions& options) {
  if (options.num_landmarks < 3) {
    throw Error(fmt::format("isomap: {} landmarks, expected 3 or more", options.num_landmarks));
  }
  LatentSpace space;
  space.positions.resize(2 * at(graph.num_nodes()), 0);
  space.landmarks = choose_landmarks(graph.num_nodes(), options);
  if (space.landmarks.empty()) return space;

  const LandmarkDistances landmarks = landmark_distances(graph, space.landmarks);
  const auto num_landmarks = std::ssize(space.landmarks);
  const std::vector<double> means = row_means(landmarks.squared, num_landmarks);
  const std::vector<double> axes = triangulation(landmarks.squared, means);
  // For a landmark this is its own row of classical scaling, so landmarks need no case of their
  // own.
  for_each_batch(graph, space.landmarks, "positions",
                 [&](std::int64_t first, const std::vector<NodeId>& distances) {
                   const std::int64_t size = std::ssize(distances) / graph.num_nodes();
                   for (NodeId u = 0; u < graph.num_nodes(); ++u) {
                     double shift[2] = {0, 0};
                     for (std::int64_t j = 0; j < size; ++j) {
                       const double square = landmarks.square(distances[at(u * size + j)]);
                       const double excess = square - means[at(first + j)];
                       shift[0] += axes[at(first + j)] * excess;
                       shift[1] += axes[at(num_landmarks + first + j)] * excess;
                     }
                     space.positions[2 * at(u)] -= shift[0] / 2;
                     space.positions[2 * at(u) + 1] -= shift[1] / 2;
                   }
                 });
  round_off(space.positions);
  return space;
}

NeighbourLists latent_neighbourhood(const LatentSpace& space, std::int64_t num_pairs) {
  const std::vector<NodePair> pairs = closest_pairs(space.positions, num_pairs);
  NeighbourLists lists;
  std::vector<std::int64_t>& offsets = lists.row_offsets;
  offsets.assign(at(space.num_nodes()) + 1, 0);
  for (const NodePair& pair : pairs) {
    ++offsets[at(pair.u) + 1];
    ++offsets[at(pair.v) + 1];
  }
  std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());

  // The pairs are ordered by (u, v): a row first gets its smaller neighbours, then its larger ones.
  lists.neighbours.resize(2 * pairs.size());
  std::vector<std::int64_t> next(offsets.begin(), offsets.end() - 1);
  for (const NodePair& pair : pairs) {
    lists.neighbours[at(next[at(pair.u)]++)] = pair.v;
    lists.neighbours[at(next[at(pair.v)]++)] = pair.u;
  }
  return lists;
}

}  // namespace dsnn
