// Any graph, any partition: the loss and its gradients are those of one process.
#include "dsnn/util/error.h"

#include "parts/part_cases.h"
#include "support/expect_error.h"

#include <algorithm>
#include <atomic>

namespace dsnn {
namespace {

using namespace testing;

template <class T>
void check_all(std::uint64_t first_seed, int num_seeds, double most) {
  for (const Setting& setting : part_settings()) {
    for (std::uint64_t seed = first_seed; seed < first_seed + static_cast<std::uint64_t>(num_seeds);
         ++seed) {
      const auto& kinds = all_graph_kinds();
      const GraphKind kind = kinds[seed % kinds.size()];
      const Dataset whole = random_dataset(seed, kind);
      const auto model = make(setting, seed);
      const LossAndGradients<T> expected = loss_and_gradients<T>(*model, whole);
      Random random(seed);
      const int size = 1 + static_cast<int>(random.below(7));
      const Partition partition = random_partition(whole.graph.num_nodes(), size, random);
      std::atomic<double> worst = 0;
      run_as_threads(size, [&](Ranks& ranks) {
        const double own = difference<T>(*model, whole, expected, partition, ranks);
        for (double before = worst; own > before && !worst.compare_exchange_weak(before, own);) {
        }
      });
      EXPECT_LE(worst, most) << name_of(setting) << ", seed " << seed << ", " << size << " parts";
    }
  }
}

TEST(PartProgram, AllModelsAreTested) {
  const std::vector<Setting> settings = part_settings();
  for (const nn::ModelEntry& entry : nn::model_registry()) {
    const bool is_tested =
        std::ranges::find(settings, entry.name, &Setting::model) != settings.end();
    EXPECT_EQ(is_tested, entry.needs_whole_graph.empty()) << entry.name;
  }
}

TEST(PartProgram, EqualsTheWholeInDouble) { check_all<double>(1, 8, 1e-12); }
TEST(PartProgram, EqualsTheWholeInFloat) { check_all<float>(100, 5, 1e-5); }

TEST(PartProgram, HasTheSameBitsEachTime) {
  const Dataset whole = random_dataset(3, GraphKind::kWeighted);
  const auto model = make({"gen-dsnn", {"stalk_dim=2"}}, 1);
  Random random(4);
  const Partition partition = random_partition(whole.graph.num_nodes(), 3, random);
  std::vector<std::vector<float>> all;
  for (int run = 0; run < 3; ++run) {
    run_as_threads(3, [&](Ranks& ranks) {
      Part part = make_part(whole, {}, partition, ranks.rank());
      const auto halo = std::make_shared<const Halo>(part.nodes, part.data.graph, ranks);
      const auto got = loss_and_gradients<float>(*model, part.data, halo);
      if (ranks.rank() == run % 3) all.push_back(got.gradients);
    });
  }
  EXPECT_EQ(all[0], all[1]);
  EXPECT_EQ(all[0], all[2]);
}

TEST(PartProgram, RefusesOperatorsWithoutARule) {
  const Dataset whole = random_dataset(3, GraphKind::kMixed);
  run_as_threads(1, [&](Ranks& ranks) {
    const Partition partition(at(whole.graph.num_nodes()), 0);
    Part part = make_part(whole, {}, partition, 0);
    const auto halo = std::make_shared<const Halo>(part.nodes, part.data.graph, ranks);
    engine::Program program;
    program.set_rewriter(part_rewriter(halo));
    const engine::Value x = program.zeros({whole.graph.num_nodes(), 1});
    expect_error([&] { engine::binary_cross_entropy(x, whole.labels); },
                 "binary_cross_entropy: labels has 2, expected 0 or 1");
    expect_error(
        [&] { engine::binary_cross_entropy(x, std::vector<std::int64_t>(whole.labels.size(), 1)); },
        "binary_cross_entropy: is not available on a graph in parts");
  });
}

}  // namespace
}  // namespace dsnn
