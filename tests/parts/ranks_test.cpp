#include "dsnn/parts/ranks.h"

#include "dsnn/parts/halo.h"
#include "dsnn/parts/partition.h"

#include "parts/part_cases.h"
#include "support/expect_error.h"

#include <numeric>
#include <string>

namespace dsnn {
namespace {

using namespace testing;

std::vector<std::byte> bytes_of(const std::string& text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

TEST(Ranks, SendTextsOfAnyLength) {
  for (int size = 1; size <= 5; ++size) {
    run_as_threads(size, [&](Ranks& ranks) {
      const auto text = [](int from, int to) {
        return std::string(static_cast<std::size_t>(3 * from * to), static_cast<char>('a' + from));
      };
      std::vector<std::vector<std::byte>> out;
      for (int r = 0; r < size; ++r) out.push_back(bytes_of(text(ranks.rank(), r)));
      const auto in = ranks.exchange_any(out);
      for (int r = 0; r < size; ++r) {
        EXPECT_EQ(in[static_cast<std::size_t>(r)], bytes_of(text(r, ranks.rank())));
      }
      EXPECT_EQ(ranks.from_first(fmt::format("rank {}", ranks.rank())), "rank 0");
    });
  }
}

TEST(Ranks, AddInTheOrderOfTheRanks) {
  for (const int count : {0, 1, 2, 7, 100}) {
    for (int size = 1; size <= 6; ++size) {
      run_as_threads(size, [&](Ranks& ranks) {
        const auto number = [&](int r, int i) { return 1.0 / (1 + 7 * r + i); };
        std::vector<double> numbers;
        for (int i = 0; i < count; ++i) numbers.push_back(number(ranks.rank(), i));
        ranks.sum(std::span(numbers));
        for (int i = 0; i < count; ++i) {
          double sum = 0;
          for (int r = 0; r < size; ++r) sum += number(r, i);
          EXPECT_EQ(numbers[static_cast<std::size_t>(i)], sum);
        }
        EXPECT_EQ(ranks.any(ranks.rank() == size - 1), true);
        EXPECT_EQ(ranks.any(false), false);
      });
    }
  }
}

TEST(Ranks, AgreeOnTheFirstError) {
  run_as_threads(4, [](Ranks& ranks) {
    expect_error(
        [&] {
          ranks.agree([&] {
            if (ranks.rank() > 1) throw Error(fmt::format("of rank {}", ranks.rank()));
          });
        },
        "of rank 2");
    ranks.agree([] {});
  });
}

TEST(Ranks, EndTogether) {
  expect_error(
      [] {
        run_as_threads(3, [](Ranks& ranks) {
          if (ranks.rank() == 1) throw Error("one has failed");
          ranks.sum(1.0);
        });
      },
      "one has failed");
}

/// The whole, as a plain loop has it.
TEST(Halo, CountsWhatIsBefore) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Dataset whole = random_dataset(seed, GraphKind::kMixed);
    Random random(seed);
    const int size = 1 + static_cast<int>(random.below(7));
    const Partition partition = random_partition(whole.graph.num_nodes(), size, random);
    std::vector<std::int64_t> counts(partition.size()), before(partition.size());
    for (std::int64_t& count : counts) count = static_cast<std::int64_t>(random.below(5));
    std::exclusive_scan(counts.begin(), counts.end(), before.begin(), std::int64_t{0});
    run_as_threads(size, [&](Ranks& ranks) {
      const Part part = make_part(whole, {}, partition, ranks.rank());
      const Halo halo(part.nodes, part.data.graph, ranks);
      std::vector<std::int64_t> own(part.numbers.size(), 77);  // of ghosts: not read
      for (std::size_t i = 0; i < own.size(); ++i) {
        if (halo.owns(static_cast<std::int64_t>(i))) own[i] = counts[at(part.numbers[i])];
      }
      const std::vector<std::int64_t> got = halo.offsets(own);
      for (std::size_t i = 0; i < got.size(); ++i) {
        if (part.nodes.owners[i] < 0) continue;
        EXPECT_EQ(got[i], before[at(part.numbers[i])]);
      }
    });
  }
}

/// Rows say where they come from: nodes, and half-edges by both ends.
TEST(Halo, FetchesTheRowsOfTheOwners) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Dataset whole = random_dataset(seed, GraphKind::kMixed);
    Random random(seed);
    const int size = 1 + static_cast<int>(random.below(7));
    const Partition partition = random_partition(whole.graph.num_nodes(), size, random);
    const std::int64_t planes = 1 + static_cast<std::int64_t>(seed % 2);
    run_as_threads(size, [&](Ranks& ranks) {
      const Part part = make_part(whole, {}, partition, ranks.rank());
      const DirectedGraph& graph = part.data.graph;
      const Halo halo(part.nodes, graph, ranks);
      const std::vector<NodeId> owners = graph.owners();
      const bool is_empty = part.nodes.owners[0] < 0;
      const auto check = [&](engine::RowKind kind, const auto& mark, const auto& is_own) {
        const std::int64_t rows = halo.num_rows(kind);
        std::vector<double> x;
        for (std::int64_t p = 0; p < planes; ++p) {
          for (std::int64_t row = 0; row < rows; ++row) {
            for (int i = 0; i < 3; ++i) x.push_back(is_own(row) ? mark(p, row, i) : -1);
          }
        }
        halo.fetch(kind, planes, 3, x.data());
        std::size_t at_place = 0;
        for (std::int64_t p = 0; p < planes; ++p) {
          for (std::int64_t row = 0; row < rows; ++row) {
            for (int i = 0; i < 3; ++i, ++at_place) {
              if (is_empty) continue;
              EXPECT_EQ(x[at_place], mark(p, row, i));
            }
          }
        }
      };
      check(
          engine::RowKind::kNodes,
          [&](std::int64_t p, std::int64_t u, int i) {
            return static_cast<double>(part.numbers[at(u)] * 10 + i + 1000 * p);
          },
          [&](std::int64_t u) { return halo.owns(u); });
      check(
          engine::RowKind::kHalfEdges,
          [&](std::int64_t p, std::int64_t h, int i) {
            const std::int64_t u = part.numbers[at(owners[at(h)])];
            const std::int64_t v = part.numbers[at(graph.neighbour(h))];
            return static_cast<double>(u * 10000 + v * 10 + i + 1000000 * p);
          },
          [&](std::int64_t h) { return halo.owns(owners[at(h)]); });
    });
  }
}

}  // namespace
}  // namespace dsnn
