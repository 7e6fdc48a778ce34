// The same as tests/parts on processes of MPI: run by mpirun, each test on all ranks.
#include "dsnn/mpi/mpi.h"

#include "dsnn/mpi/partitioners.h"
#include "dsnn/util/error.h"

#include "parts/part_cases.h"
#include "support/expect_error.h"

#include <set>

namespace dsnn {
namespace {

using namespace testing;

Ranks* the_ranks = nullptr;  // set by main()

template <class T>
double worst_difference(const Setting& setting, std::uint64_t seed, const Partition& partition,
                        const Dataset& whole) {
  const auto model = make(setting, seed);
  const LossAndGradients<T> expected = loss_and_gradients<T>(*model, whole);
  return difference<T>(*model, whole, expected, partition, *the_ranks);
}

template <class T>
void check_all(std::uint64_t first_seed, double most) {
  std::uint64_t seed = first_seed;
  for (const Setting& setting : part_settings()) {
    ++seed;
    const auto& kinds = all_graph_kinds();
    const Dataset whole = random_dataset(seed, kinds[seed % kinds.size()]);
    Random random(seed);
    const Partition partition =
        random_partition(whole.graph.num_nodes(), the_ranks->size(), random);
    EXPECT_LE(worst_difference<T>(setting, seed, partition, whole), most)
        << name_of(setting) << ", seed " << seed << ", rank " << the_ranks->rank();
  }
}

TEST(Mpi, EqualsTheWholeInDouble) { check_all<double>(1000, 1e-12); }
TEST(Mpi, EqualsTheWholeInFloat) { check_all<float>(2000, 1e-5); }

TEST(Mpi, AddsAsThreadsDo) {
  const int size = the_ranks->size();
  for (const int count : {0, 1, 5, 1000}) {
    const auto number = [](int rank, int i) { return 1.0 / (3 + rank + 11 * i); };
    std::vector<double> numbers;
    for (int i = 0; i < count; ++i) numbers.push_back(number(the_ranks->rank(), i));
    the_ranks->sum(std::span(numbers));
    for (int i = 0; i < count; ++i) {
      double sum = 0;
      for (int r = 0; r < size; ++r) sum += number(r, i);
      EXPECT_EQ(numbers[static_cast<std::size_t>(i)], sum);
    }
  }
}

TEST(Mpi, AgreesOnErrors) {
  expect_error(
      [] {
        the_ranks->agree([] {
          if (the_ranks->rank() == the_ranks->size() - 1) throw Error("the last has failed");
        });
      },
      "the last has failed");
}

TEST(Partitioners, CutFewerEdgesThanBlocks) {
  // A grid whose nodes are numbered at random.
  constexpr NodeId kSide = 30;
  Random random(1);
  std::vector<NodeId> numbers(kSide * kSide);
  for (NodeId i = 0; i < kSide * kSide; ++i) numbers[at(i)] = i;
  for (std::size_t i = numbers.size(); i > 1; --i)
    std::swap(numbers[i - 1], numbers[random.below(i)]);
  std::vector<Arc> arcs;
  for (NodeId i = 0; i < kSide * kSide; ++i) {
    if (i % kSide + 1 < kSide) arcs.push_back({numbers[at(i)], numbers[at(i + 1)]});
    if (i + kSide < kSide * kSide) arcs.push_back({numbers[at(i)], numbers[at(i + kSide)]});
  }
  const DirectedGraph graph = DirectedGraph::from_arcs(kSide * kSide, arcs);
  const PartitionCost blocks = cost_of(graph, make_partition("blocks", graph, {}, 4), 4);
  for (const std::string& method : partition_methods()) {
    const Partition partition = make_partition(method, graph, {}, 4);
    EXPECT_EQ(partition, make_partition(method, graph, {}, 4)) << method;
    EXPECT_EQ(std::set(partition.begin(), partition.end()).size(), 4u);
    const PartitionCost cost = cost_of(graph, partition, 4);
    EXPECT_LT(cost.balance, 1.2) << method;
    if (method == "blocks") continue;
    EXPECT_LT(cost.cut_edges, blocks.cut_edges / 4) << method;
  }
  expect_error([&] { make_partition("guess", graph, {}, 4); },
               fmt::format("partition: this dsnn has no method 'guess', expected one of {}",
                           fmt::join(partition_methods(), ", ")));
}

}  // namespace
}  // namespace dsnn

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  dsnn::Mpi mpi;
  dsnn::the_ranks = &mpi.ranks();
  if (mpi.ranks().rank() != 0) {  // the first prints; the others report what failed
    auto& listeners = ::testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
  }
  const int code = RUN_ALL_TESTS();
  if (code != 0) fmt::print(stderr, "rank {} has failed\n", mpi.ranks().rank());
  return mpi.ranks().any(code != 0) ? 1 : 0;
}
