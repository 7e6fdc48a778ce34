#pragma once

#include "dsnn/graph/directed_graph.h"
#include "dsnn/util/error.h"
#include "dsnn/util/progress.h"

#include "util/index.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

namespace dsnn::detail {

/// The arrays behind DirectedGraph; see there.
struct HalfEdges {
  std::vector<HalfEdgeId> row_offsets;
  std::vector<NodeId> neighbours;
  std::vector<NodeId> reverse_ranks;
  std::vector<std::int8_t> orientations;
  std::vector<double> arc_weights;
  HalfEdgeId num_arcs = 0;
  DroppedArcs dropped;
};

/// Builds half-edges from `num_arcs` arcs that `arc_at(i)` yields, and, unless WeightAt is
/// nullptr_t, their weights `weight_at(i)`. Every arc is read twice and not stored, so the source
/// may be larger than the memory.
///
/// Steps: count the entries of each row; place them (both endpoints get one for each arc); sort
/// each row and merge duplicates and opposite arcs, in place; number the reverses. An entry is the
/// neighbour shifted left by one bit, with the lowest bit saying whether the arc comes in. The peak
/// is the result itself plus four bytes per node, or, with weights, 16 bytes for each entry of the
/// largest row if that is more.
template <class ArcAt, class WeightAt>
class HalfEdgeBuilder {
 public:
  static constexpr bool kWeighted = !std::is_same_v<WeightAt, std::nullptr_t>;

  HalfEdgeBuilder(NodeId num_nodes, std::int64_t num_arcs, ArcAt arc_at, WeightAt weight_at)
      : num_nodes_(num_nodes), num_arcs_(num_arcs), arc_at_(arc_at), weight_at_(weight_at) {}

  HalfEdges build() {
    count_entries();
    place_entries();
    merge_rows();
    number_reverses();
    return std::move(result_);
  }

 private:
  static constexpr std::int64_t kReportEvery = std::int64_t{1} << 20;
  struct WeightedEntry {
    std::uint32_t entry;
    std::uint32_t position;  // within the row, in input order
    double weight;
  };

  static std::uint32_t outgoing(NodeId v) { return static_cast<std::uint32_t>(v) << 1; }
  static std::uint32_t incoming(NodeId v) { return outgoing(v) | 1U; }
  static NodeId neighbour_of(std::uint32_t entry) { return static_cast<NodeId>(entry >> 1); }
  static bool is_incoming(std::uint32_t entry) { return (entry & 1U) != 0; }

  /// The same storage seen as entries until merge_rows() turns them into neighbours.
  std::uint32_t* entries() { return reinterpret_cast<std::uint32_t*>(result_.neighbours.data()); }

  void count_entries() {
    auto& offsets = result_.row_offsets;
    offsets.assign(at(num_nodes_) + 1, 0);
    for (std::int64_t i = 0; i < num_arcs_; ++i) {
      if (i % kReportEvery == 0) report_progress("counting arcs", i, num_arcs_);
      const Arc arc = arc_at_(i);
      check(arc, i);
      if (arc.source == arc.target) {
        ++result_.dropped.self_loops;
        continue;
      }
      ++offsets[at(arc.source) + 1];
      ++offsets[at(arc.target) + 1];
    }
    std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
  }

  void check(Arc arc, std::int64_t i) const {
    for (const NodeId node : {arc.source, arc.target}) {
      if (node < 0 || node >= num_nodes_) {
        throw Error(fmt::format("graph: arc {} has node {}, expected 0 to {} ({} nodes)", i, node,
                                num_nodes_ - 1, num_nodes_));
      }
    }
    if constexpr (kWeighted) {
      if (!std::isfinite(weight_at_(i))) {
        throw Error(
            fmt::format("graph: the weight of arc {} ({} -> {}) is {}, expected a finite number", i,
                        arc.source, arc.target, weight_at_(i)));
      }
    }
  }

  void place_entries() {
    auto& offsets = result_.row_offsets;
    result_.neighbours.resize(at(offsets.back()));
    if constexpr (kWeighted) result_.arc_weights.resize(at(offsets.back()));
    auto place = [&](NodeId owner, std::uint32_t entry, std::int64_t i) {
      const HalfEdgeId position = offsets[at(owner)]++;
      entries()[position] = entry;
      if constexpr (kWeighted) result_.arc_weights[at(position)] = weight_at_(i);
    };
    for (std::int64_t i = 0; i < num_arcs_; ++i) {
      if (i % kReportEvery == 0) report_progress("placing arcs", i, num_arcs_);
      const Arc arc = arc_at_(i);
      if (arc.source == arc.target) continue;
      place(arc.source, outgoing(arc.target), i);
      place(arc.target, incoming(arc.source), i);
    }
    // Placing advanced every offset to the end of its row, which is the start of the next row.
    std::copy_backward(offsets.begin(), offsets.end() - 1, offsets.end());
    offsets[0] = 0;
  }

  void merge_rows() {
    auto& offsets = result_.row_offsets;
    result_.orientations.resize(result_.neighbours.size());
    write_ = 0;
    if constexpr (kWeighted) reserve_largest_row();
    for (NodeId u = 0; u < num_nodes_; ++u) {
      if (u % kReportEvery == 0) report_progress("merging arcs", u, num_nodes_);
      const HalfEdgeId begin = offsets[at(u)];  // rows to the right still have their old offsets
      const HalfEdgeId end = offsets[at(u) + 1];
      offsets[at(u)] = write_;
      if constexpr (kWeighted) {
        merge_weighted_row(begin, end);
      } else {
        merge_row(begin, end);
      }
    }
    offsets[at(num_nodes_)] = write_;
    std::vector<WeightedEntry>().swap(sorted_);  // frees the memory, which "= {}" would keep
    shrink(result_.neighbours);
    shrink(result_.orientations);
    if constexpr (kWeighted) shrink(result_.arc_weights);
  }

  void reserve_largest_row() {
    HalfEdgeId largest = 0;
    for (NodeId u = 0; u < num_nodes_; ++u) {
      largest = std::max(largest, result_.row_offsets[at(u) + 1] - result_.row_offsets[at(u)]);
    }
    sorted_.reserve(at(largest));
  }

  /// `write_` never passes the entry being read: merging only removes.
  void merge_row(HalfEdgeId begin, HalfEdgeId end) {
    std::uint32_t* row = entries();
    std::sort(row + begin, row + end);
    for (HalfEdgeId i = begin; i < end;) {
      const NodeId v = neighbour_of(row[i]);
      std::int64_t out = 0;
      std::int64_t in = 0;
      for (; i < end && neighbour_of(row[i]) == v; ++i) ++(is_incoming(row[i]) ? in : out);
      count_merged(out);
      emit(v, out > 0, static_cast<int>(out > 0) - static_cast<int>(in > 0));
    }
  }

  void merge_weighted_row(HalfEdgeId begin, HalfEdgeId end) {
    sorted_.clear();
    for (HalfEdgeId i = begin; i < end; ++i) {
      sorted_.push_back(
          {entries()[i], static_cast<std::uint32_t>(i - begin), result_.arc_weights[at(i)]});
    }
    // Also by position, so that both endpoints add the weights of duplicates in the same order and
    // get the same bits.
    std::sort(sorted_.begin(), sorted_.end(), [](const auto& a, const auto& b) {
      return a.entry != b.entry ? a.entry < b.entry : a.position < b.position;
    });
    for (std::size_t i = 0; i < sorted_.size();) {
      const NodeId v = neighbour_of(sorted_[i].entry);
      double out = 0;  // A_uv
      double in = 0;   // A_vu
      std::int64_t num_out = 0;
      for (; i < sorted_.size() && neighbour_of(sorted_[i].entry) == v; ++i) {
        const bool is_in = is_incoming(sorted_[i].entry);
        (is_in ? in : out) += sorted_[i].weight;
        num_out += is_in ? 0 : 1;
      }
      check_sum(out);
      check_sum(in);
      count_merged(num_out);
      if (num_out > 0 && out == 0) ++result_.dropped.zero_weight;
      if (out == 0 && in == 0) continue;
      const double difference = std::abs(out) - std::abs(in);
      result_.arc_weights[at(write_)] = out;
      emit(v, out != 0, (difference > 0) - (difference < 0));
    }
  }

  /// Each arc is counted by its source.
  void count_merged(std::int64_t num_out) {
    result_.dropped.duplicates += num_out > 1 ? num_out - 1 : 0;
  }

  static void check_sum(double weight) {
    if (!std::isfinite(weight)) {
      throw Error("graph: the sum of the weights of duplicate arcs overflows");
    }
  }

  void emit(NodeId v, bool has_out, int orientation) {
    result_.neighbours[at(write_)] = v;
    result_.orientations[at(write_)] = static_cast<std::int8_t>(orientation);
    result_.num_arcs += has_out ? 1 : 0;
    ++write_;
  }

  template <class T>
  void shrink(std::vector<T>& array) const {
    array.resize(at(write_));
    array.shrink_to_fit();
  }

  /// Rows are sorted, so visiting the owners in order visits the half-edges (u,v) of each v in the
  /// order of v's own row: a counter for each v gives the position of the reverse.
  void number_reverses() {
    std::vector<NodeId> seen(at(num_nodes_), 0);
    result_.reverse_ranks.resize(at(write_));
    for (HalfEdgeId h = 0; h < write_; ++h) {
      if (h % kReportEvery == 0) report_progress("pairing half-edges", h, write_);
      result_.reverse_ranks[at(h)] = seen[at(result_.neighbours[at(h)])]++;
    }
  }

  NodeId num_nodes_;
  std::int64_t num_arcs_;
  ArcAt arc_at_;
  WeightAt weight_at_;
  HalfEdges result_;
  HalfEdgeId write_ = 0;
  std::vector<WeightedEntry> sorted_;
};

}  // namespace dsnn::detail
