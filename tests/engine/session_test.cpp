#include "dsnn/engine/session.h"

#include "dsnn/data/dataset.h"
#include "dsnn/engine/operators/arithmetic.h"
#include "dsnn/engine/operators/edges.h"
#include "dsnn/engine/operators/linear.h"
#include "dsnn/nn/model.h"
#include "dsnn/util/error.h"
#include "dsnn/util/random.h"

#include "engine/count_allocations.h"

#include <gtest/gtest.h>

namespace dsnn::engine {
namespace {

nn::Input random_input(NodeId n, int num_arcs) {
  Random random(3);
  std::vector<Arc> arcs;
  for (int i = 0; i < num_arcs; ++i) {
    arcs.push_back({static_cast<NodeId>(random.below(static_cast<std::uint64_t>(n))),
                    static_cast<NodeId>(random.below(static_cast<std::uint64_t>(n)))});
  }
  std::vector<float> values;
  for (int i = 0; i < n * 4; ++i) values.push_back(static_cast<float>(random.uniform(-1, 1)));
  return nn::Input(Graph(DirectedGraph::from_arcs(n, arcs)), Features::dense(n, 4, values));
}

TEST(Session, AllocatesNothingOnceItRuns) {
  const nn::Input input = random_input(300, 1500);
  std::vector<std::int64_t> labels(300, 1), nodes = {0, 5, 7};
  for (const nn::ModelEntry& entry : nn::model_registry()) {
    Config config(entry.parameters);
    if (entry.name == "gcnii") config.set_text("layers=3");
    const auto model = nn::make_model(entry.name, config, {4, 3}, 1);
    Program program;
    const Value loss = cross_entropy(model->forward(input, {program, true}), labels, nodes);
    program.keep(loss);
    program.differentiate(loss);
    const std::vector<float> weights(model->weights().initial().begin(),
                                     model->weights().initial().end());
    std::vector<float> gradients(weights.size());
    Session<float> session(program, Device::cpu(1), weights, gradients);
    for (std::uint64_t seed = 0; seed < 2; ++seed) {  // the first passes fill the scratch memory
      session.forward(seed);
      session.backward();
    }
    const std::int64_t before = testing::num_allocations();
    session.forward(2);
    session.backward();
    EXPECT_EQ(testing::num_allocations() - before, 0) << entry.name;
  }
}

TEST(Session, ShowsMarkedValuesAsTheyWere) {
  Program program;
  const Value x = program.constant({2, 2}, {1, -2, 3, -4});
  const Value y = 2.0 * x;
  program.mark(y, "twice");
  const Value z = relu(y);  // may be written over y
  program.mark(z, "relu");
  program.keep(z);
  Session<double> session(program, Device::cpu(), {});
  std::vector<std::string> parts;
  session.forward(0, [&](const std::string& part, std::span<const double> numbers) {
    parts.push_back(part);
    EXPECT_EQ(numbers[1], part == "twice" ? -4 : 0);
  });
  EXPECT_EQ(parts, (std::vector<std::string>{"twice", "relu"}));
}

TEST(Session, MayShareAnArenaThatGrows) {
  const auto make = [](Program& program, std::int64_t rows) {
    const Value y =
        relu(program.constant({rows, 1}, std::vector<double>(static_cast<std::size_t>(rows), 2)));
    program.keep(y);
    return y;
  };
  Program small, large;
  const Value a = make(small, 3), b = make(large, 100000);
  Session<float> first(small, Device::cpu(), {});
  first.forward();
  Session<float> second(large, Device::cpu(), {}, {}, first.arena());
  second.forward();
  EXPECT_EQ(second.numbers(b)[99999], 2);
  first.forward();
  EXPECT_EQ(first.numbers(a)[2], 2);
}

// Pairs of nodes may change between passes, in forward and backward passes alike.
TEST(Session, EntriesOfAMatrixMayBeReplaced) {
  Random random(4);
  constexpr NodeId kNodes = 6;
  const auto pairs = [&] {
    std::vector<Arc> made;
    for (int i = 0; i < 9; ++i) {
      made.push_back(
          {static_cast<NodeId>(random.below(kNodes)), static_cast<NodeId>(random.below(kNodes))});
    }
    return made;
  };
  std::vector<double> weights;
  for (int i = 0; i < kNodes * 2; ++i) weights.push_back(random.uniform(-1, 1));
  const Weight x = {"x", {kNodes, 2}, 0};
  /// Scores in the order of the pairs, then gradients.
  const auto run = [&](const std::vector<Arc>& first, const std::vector<Arc>* replaced) {
    std::vector<std::int64_t> places;
    SparseMatrix matrix = SparseMatrix::from_pairs(kNodes, kNodes, first, places);
    Program program;
    const Value nodes = program.parameter(x);
    const Value scores = edge_dot(nodes, nodes, matrix);
    program.keep(scores);
    program.differentiate(binary_cross_entropy(scores, {1, 1, 1, 1, 1, 1, 1, 1, 1}));
    std::vector<double> gradients(weights.size());
    Session<double> session(program, Device::cpu(), std::span<const double>(weights),
                            std::span(gradients));
    session.forward();
    if (replaced != nullptr) {
      matrix.replace(SparseMatrix::from_pairs(kNodes, kNodes, *replaced, places));
      session.forward();
    }
    session.backward();
    std::vector<double> result;
    for (const std::int64_t place : places) {
      result.push_back(session.numbers(scores)[static_cast<std::size_t>(place)]);
    }
    result.insert(result.end(), gradients.begin(), gradients.end());
    return result;
  };
  const std::vector<Arc> first = pairs(), second = pairs();
  EXPECT_EQ(run(first, &second), run(second, nullptr));
  EXPECT_NE(run(first, nullptr), run(second, nullptr));
  std::vector<std::int64_t> places;
  SparseMatrix matrix = SparseMatrix::from_pairs(kNodes, kNodes, first, places);
  const std::vector<Arc> fewer(first.begin(), first.end() - 1);
  EXPECT_THROW(matrix.replace(SparseMatrix::from_pairs(kNodes, kNodes, fewer, places)), Error);
  EXPECT_THROW(SparseMatrix::from_pairs(2, kNodes, std::vector<Arc>{{5, 0}}, places), Error);
}

}  // namespace
}  // namespace dsnn::engine
