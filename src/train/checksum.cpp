#include "dsnn/train/train.h"

#include <fmt/format.h>

#include <bit>
#include <iterator>
#include <type_traits>

namespace dsnn {
namespace {

/// FNV-1a on 64 bits, a word at a time.
class Hash {
 public:
  void add(std::uint64_t word) {
    state_ = (state_ ^ word) * 0x100000001b3u;
    state_ ^= state_ >> 29;
  }
  template <class Range>
  void add_all(const Range& range) {
    add(static_cast<std::uint64_t>(std::size(range)));
    for (const auto& value : range) {
      if constexpr (std::is_floating_point_v<std::decay_t<decltype(value)>>) {
        add(std::bit_cast<std::uint64_t>(static_cast<double>(value)));
      } else {
        add(static_cast<std::uint64_t>(value));
      }
    }
  }
  std::string text() const { return fmt::format("{:016x}", state_); }

 private:
  std::uint64_t state_ = 0xcbf29ce484222325u;
};

Hash content_hash(const Dataset& dataset) {
  Hash hash;
  const DirectedGraph& graph = dataset.graph;
  hash.add(static_cast<std::uint64_t>(graph.num_nodes()));
  hash.add_all(graph.row_offsets());
  hash.add_all(graph.neighbours());
  hash.add_all(graph.orientations());
  hash.add_all(graph.arc_weights());
  hash.add(static_cast<std::uint64_t>(dataset.features.num_columns));
  hash.add_all(dataset.features.offsets);
  hash.add_all(dataset.features.columns);
  hash.add_all(dataset.features.values);
  hash.add_all(dataset.labels);
  return hash;
}

}  // namespace

std::string content_checksum(const Dataset& dataset) { return content_hash(dataset).text(); }

std::string checksum(const Dataset& dataset) {
  Hash hash = content_hash(dataset);
  for (const Split& split : dataset.splits) {
    hash.add_all(split.train);
    hash.add_all(split.validation);
    hash.add_all(split.test);
  }
  for (const LinkSplit& split : dataset.link_splits) {
    for (const auto* pairs : {&split.train, &split.validation, &split.test, &split.train_negatives,
                              &split.validation_negatives, &split.test_negatives}) {
      hash.add(pairs->size());
      for (const Arc pair : *pairs) {
        hash.add(static_cast<std::uint64_t>(pair.source));
        hash.add(static_cast<std::uint64_t>(pair.target));
      }
    }
  }
  return hash.text();
}

}  // namespace dsnn
