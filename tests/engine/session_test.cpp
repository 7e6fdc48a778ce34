#include "dsnn/engine/session.h"

#include "dsnn/data/dataset.h"
#include "dsnn/engine/operators/arithmetic.h"
#include "dsnn/engine/operators/linear.h"
#include "dsnn/nn/model.h"
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

}  // namespace
}  // namespace dsnn::engine
