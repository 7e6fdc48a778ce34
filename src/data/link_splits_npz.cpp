#include "data/link_splits_npz.h"

#include "data/build_dataset.h"
#include "util/index.h"

#include <fmt/format.h>

#include <algorithm>

namespace dsnn {
namespace {

struct Part {
  const char* name;
  std::vector<Arc> LinkSplit::*pairs;
};
constexpr std::array<Part, 6> kParts = {{{"pos_train", &LinkSplit::train},
                                         {"pos_val", &LinkSplit::validation},
                                         {"pos_test", &LinkSplit::test},
                                         {"neg_train", &LinkSplit::train_negatives},
                                         {"neg_val", &LinkSplit::validation_negatives},
                                         {"neg_test", &LinkSplit::test_negatives}}};

[[noreturn]] void fail_array(const NpzReader& npz, const char* name, const std::string& what) {
  fail(npz.path(), fmt::format("array '{}' {}", name, what));
}

std::vector<Arc> pairs_of(const NpzReader& npz, const char* name, const std::int64_t* numbers,
                          std::int64_t count, NodeId num_nodes) {
  std::vector<Arc> pairs;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t u = numbers[2 * i], v = numbers[2 * i + 1];
    if (u == -1 && v == -1) continue;
    if (std::min(u, v) < 0 || std::max(u, v) >= num_nodes || u == v) {
      fail_array(npz, name,
                 fmt::format("has the pair ({}, {}), expected two different nodes, 0 to {}", u, v,
                             num_nodes - 1));
    }
    pairs.push_back({static_cast<NodeId>(u), static_cast<NodeId>(v)});
  }
  return pairs;
}

}  // namespace

std::vector<LinkSplit> read_link_splits(const NpzReader& npz, NodeId num_nodes) {
  std::vector<LinkSplit> splits;
  if (!npz.contains(kParts[0].name)) return splits;
  for (const Part& part : kParts) {
    const bool is_needed = &part - kParts.data() < 3;
    if (!npz.contains(part.name)) {
      if (!is_needed) continue;
      fail_array(npz, part.name, "is missing, expected pos_train, pos_val and pos_test together");
    }
    const Array<std::int64_t> array = npz.read<std::int64_t>(part.name);
    const bool is_first = part.pairs == &LinkSplit::train;
    if (array.shape.size() != 3 || array.shape[2] != 2 ||
        (!is_first && array.shape[0] != std::ssize(splits))) {
      fail_array(npz, part.name,
                 is_first ? "must have the shape [splits, pairs, 2]"
                          : "must have the shape [splits, pairs, 2], with the splits of pos_train");
    }
    if (is_first) splits.resize(at(array.shape[0]));
    for (std::size_t s = 0; s < splits.size(); ++s) {
      splits[s].*part.pairs =
          pairs_of(npz, part.name, array.data.data() + s * at(2 * array.shape[1]), array.shape[1],
                   num_nodes);
    }
  }
  return splits;
}

LinkSplitArrays::LinkSplitArrays(const std::vector<LinkSplit>& splits)
    : num_splits_(std::ssize(splits)) {
  for (std::size_t p = 0; p < kParts.size(); ++p) {
    std::size_t most = 0;
    for (const LinkSplit& split : splits) most = std::max(most, (split.*kParts[p].pairs).size());
    numbers_[p].assign(2 * most * splits.size(), -1);
    for (std::size_t s = 0; s < splits.size(); ++s) {
      std::size_t place = 2 * most * s;
      for (const Arc pair : splits[s].*kParts[p].pairs) {
        numbers_[p][place++] = pair.source;
        numbers_[p][place++] = pair.target;
      }
    }
  }
}

void LinkSplitArrays::add_to(NpzWriter& npz) const {
  for (std::size_t p = 0; num_splits_ > 0 && p < kParts.size(); ++p) {
    const std::int64_t pairs = std::ssize(numbers_[p]) / (2 * num_splits_);
    if (pairs == 0 && p >= 3) continue;
    npz.add<std::int64_t>(kParts[p].name, {num_splits_, pairs, 2}, numbers_[p]);
  }
}

}  // namespace dsnn
