#include "dsnn/parts/halo.h"

#include "util/index.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace dsnn {
namespace {

using engine::RowKind;
using RowsByRank = std::vector<std::vector<std::int64_t>>;

std::int64_t count_all(const RowsByRank& rows) {
  std::int64_t count = 0;
  for (const auto& of_rank : rows) count += std::ssize(of_rank);
  return count;
}

std::int64_t bytes_of_row(std::int64_t planes, std::int64_t width, std::size_t size) {
  return planes * width * static_cast<std::int64_t>(size);
}

}  // namespace

// Both ends of an edge between two parts are nodes of both. Hence each rank derives what it sends:
// the neighbours of another's nodes are the other's ghosts. Nodes, and half-edges by (owner,
// neighbour), are in the same order on both sides.
Halo::Halo(PartNodes nodes, const DirectedGraph& graph, Ranks& ranks)
    : nodes_(std::move(nodes)), ranks_(ranks) {
  const std::size_t size = at(ranks.size());
  for (Lists* lists : {&node_lists_, &half_edge_lists_}) {
    lists->own.resize(size);
    lists->ghosts.resize(size);
  }
  node_lists_.num_rows = num_nodes();
  half_edge_lists_.num_rows = graph.num_half_edges();
  outgoing_.resize(size);
  incoming_.resize(size);
  std::vector<NodeId> listed_for(size, -1);  // the last node that is listed for a rank
  for (NodeId u = 0; u < graph.num_nodes(); ++u) {
    const std::int32_t owner = nodes_.owners[at(u)];
    const bool is_own = owner == ranks.rank();
    if (!is_own && owner >= 0) node_lists_.ghosts[at(owner)].push_back(u);
    for (HalfEdgeId h = graph.row_begin(u); h < graph.row_end(u); ++h) {
      if (!is_own) {
        half_edge_lists_.ghosts[at(owner)].push_back(h);
        continue;
      }
      const std::int32_t other = nodes_.owners[at(graph.neighbour(h))];
      if (other == ranks.rank()) continue;
      half_edge_lists_.own[at(other)].push_back(h);
      if (std::exchange(listed_for[at(other)], u) != u) node_lists_.own[at(other)].push_back(u);
    }
  }
}

std::int64_t Halo::num_ghost_rows(RowKind kind) const { return count_all(lists(kind).ghosts); }
std::int64_t Halo::num_sent_rows(RowKind kind) const { return count_all(lists(kind).own); }

template <class T>
void Halo::pack(const RowsByRank& rows, const Lists& lists, std::int64_t planes, std::int64_t width,
                const T* x) const {
  const std::size_t bytes = at(width) * sizeof(T);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    outgoing_[r].resize(rows[r].size() * at(bytes_of_row(planes, width, sizeof(T))));
    std::byte* to = outgoing_[r].data();
    for (std::int64_t p = 0; p < planes; ++p) {
      for (const std::int64_t row : rows[r]) {
        std::memcpy(to, x + (p * lists.num_rows + row) * width, bytes);
        to += bytes;
      }
    }
  }
}

template <class T>
void Halo::fetch(RowKind kind, std::int64_t planes, std::int64_t width, T* x) const {
  const Lists& of_kind = lists(kind);
  pack(of_kind.own, of_kind, planes, width, x);
  Ranks::Outgoing out(outgoing_.begin(), outgoing_.end());
  Ranks::Incoming in;
  for (std::size_t r = 0; r < incoming_.size(); ++r) {
    incoming_[r].resize(of_kind.ghosts[r].size() * at(bytes_of_row(planes, width, sizeof(T))));
    in.emplace_back(incoming_[r]);
  }
  ranks_.exchange(out, in);
  const std::size_t bytes = at(width) * sizeof(T);
  for (std::size_t r = 0; r < incoming_.size(); ++r) {
    const std::byte* from = incoming_[r].data();
    for (std::int64_t p = 0; p < planes; ++p) {
      for (const std::int64_t row : of_kind.ghosts[r]) {
        std::memcpy(x + (p * of_kind.num_rows + row) * width, from, bytes);
        from += bytes;
      }
    }
  }
}

template <class T>
void Halo::give_back(RowKind kind, std::int64_t planes, std::int64_t width, T* x) const {
  const Lists& of_kind = lists(kind);
  pack(of_kind.ghosts, of_kind, planes, width, x);
  Ranks::Outgoing out(outgoing_.begin(), outgoing_.end());
  Ranks::Incoming in;
  for (std::size_t r = 0; r < incoming_.size(); ++r) {
    incoming_[r].resize(of_kind.own[r].size() * at(bytes_of_row(planes, width, sizeof(T))));
    in.emplace_back(incoming_[r]);
  }
  ranks_.exchange(out, in);
  for (std::size_t r = 0; r < incoming_.size(); ++r) {
    const std::byte* from = incoming_[r].data();
    for (std::int64_t p = 0; p < planes; ++p) {
      const auto row_of = [&](std::int64_t row) {
        return x + (p * of_kind.num_rows + row) * width;
      };
      for (const std::int64_t row : of_kind.ghosts[r]) std::fill_n(row_of(row), width, T{0});
      for (const std::int64_t row : of_kind.own[r]) {
        T* to = row_of(row);
        for (std::int64_t i = 0; i < width; ++i, from += sizeof(T)) {
          T number;
          std::memcpy(&number, from, sizeof(T));
          to[i] += number;
        }
      }
    }
  }
}

#define DSNN_INSTANTIATE(T)                                                          \
  template DSNN_API void Halo::fetch(RowKind, std::int64_t, std::int64_t, T*) const; \
  template DSNN_API void Halo::give_back(RowKind, std::int64_t, std::int64_t, T*) const;
DSNN_INSTANTIATE(float)
DSNN_INSTANTIATE(double)
DSNN_INSTANTIATE(std::int64_t)
#undef DSNN_INSTANTIATE

// The places are divided evenly over the ranks. Each adds up those of its share, with the counts
// that their owners send, and answers in the order of the questions.
std::vector<std::int64_t> Halo::offsets(std::span<const std::int64_t> counts) const {
  const std::int64_t size = ranks_.size();
  const std::int64_t share = std::max<std::int64_t>(1, (nodes_.num_all + size - 1) / size);
  struct Question {
    std::int64_t place, count;
  };
  std::vector<std::vector<std::byte>> questions(at(size));
  std::vector<std::vector<std::int64_t>> asked(at(size));  // nodes
  for (std::int64_t u = 0; u < num_nodes(); ++u) {
    if (!owns(u)) continue;
    const Question question = {nodes_.places[at(u)], counts[at(u)]};
    const std::size_t r = at(question.place / share);
    const std::span<const std::byte> bytes = std::as_bytes(std::span(&question, 1));
    questions[r].insert(questions[r].end(), bytes.begin(), bytes.end());
    asked[r].push_back(u);
  }
  const auto received = ranks_.exchange_any(questions);
  std::vector<std::int64_t> before(at(share + 1), 0);  // of the places of the share
  const std::int64_t first = share * ranks_.rank();
  const auto for_questions = [&](std::size_t r, const auto& work) {
    for (std::size_t i = 0; i < received[r].size(); i += sizeof(Question)) {
      Question question;
      std::memcpy(&question, received[r].data() + i, sizeof(question));
      work(question.place - first, question.count);
    }
  };
  for (std::size_t r = 0; r < received.size(); ++r) {
    for_questions(r, [&](std::int64_t i, std::int64_t count) { before[at(i + 1)] = count; });
  }
  for (std::size_t i = 1; i < before.size(); ++i) before[i] += before[i - 1];
  std::int64_t of_earlier_shares = 0;
  std::vector<std::int64_t> totals(at(size), 0);
  totals[at(ranks_.rank())] = before.back();
  ranks_.sum(std::span(totals));
  for (int r = 0; r < ranks_.rank(); ++r) of_earlier_shares += totals[at(r)];
  std::vector<std::vector<std::byte>> answers(at(size));
  for (std::size_t r = 0; r < received.size(); ++r) {
    for_questions(r, [&](std::int64_t i, std::int64_t) {
      const std::int64_t answer = of_earlier_shares + before[at(i)];
      const std::span<const std::byte> bytes = std::as_bytes(std::span(&answer, 1));
      answers[r].insert(answers[r].end(), bytes.begin(), bytes.end());
    });
  }
  const auto known = ranks_.exchange_any(answers);
  std::vector<std::int64_t> result(at(num_nodes()), 0);
  for (std::size_t r = 0; r < known.size(); ++r) {
    for (std::size_t i = 0; i < asked[r].size(); ++i) {
      std::memcpy(&result[at(asked[r][i])], known[r].data() + i * sizeof(std::int64_t),
                  sizeof(std::int64_t));
    }
  }
  fetch(RowKind::kNodes, 1, 1, result.data());
  return result;
}

}  // namespace dsnn
