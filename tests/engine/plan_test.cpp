#include "dsnn/engine/plan.h"

#include "dsnn/engine/operators/arithmetic.h"
#include "dsnn/engine/operators/columns.h"
#include "dsnn/engine/operators/linear.h"
#include "dsnn/engine/session.h"
#include "dsnn/util/random.h"

#include "engine/schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace dsnn::engine {
namespace {

/// A program of random operators on [rows, width] matrices, with weights, and its loss.
struct RandomProgram {
  Program program;
  std::vector<Weight> weights;
  Value loss, last;
  std::int64_t num_weights = 0;

  Weight weight(Shape shape) {
    weights.push_back({"w", shape, num_weights});
    num_weights += num_numbers(shape);
    return weights.back();
  }

  explicit RandomProgram(std::uint64_t seed, bool recomputes = false) {
    Random random(seed);
    const std::int64_t rows = 3 + static_cast<std::int64_t>(random.below(4));
    std::vector<double> numbers;
    for (std::int64_t i = 0; i < rows * 4; ++i) numbers.push_back(random.uniform(-1, 1));
    std::vector<Value> values = {linear(program.constant({rows, 4}, numbers), weight({4, 4}))};
    const auto any = [&] { return values[random.below(values.size())]; };
    const int count = 3 + static_cast<int>(random.below(20));
    for (int i = 0; i < count; ++i) {
      switch (random.below(10)) {
        case 0:
          values.push_back(any() + any());
          break;
        case 1:
          values.push_back(any() * any());
          break;
        case 2:
          values.push_back(relu(any()));
          break;
        case 3:
          values.push_back(linear(any(), weight({4, 4}), weight({4})));
          break;
        case 4:
          values.push_back(bias_activation(any(), weight({4}), StalkActivation::kElu));
          break;
        case 5: {
          const std::vector<Value> parts = split(any(), {1, 3});
          values.push_back(concat({parts[1], parts[0]}));
          break;
        }
        case 6:
          values.push_back(0.5 * any());
          break;
        case 8:
          values.push_back(drop(any(), {0.3, i}));
          break;
        case 7: {
          const Value x = any();
          values.push_back(program.reshape(relu(program.reshape(x, {rows * 4})), {rows, 4}));
          break;
        }
        default:
          values.push_back(maximum({any(), any(), any()}));
      }
    }
    last = values.back();
    std::vector<std::int64_t> labels(static_cast<std::size_t>(rows), 1);
    loss = cross_entropy(last, labels, {0, 1, 2});
    program.keep(loss);
    if (random.below(2) == 0) program.keep(last);
    program.differentiate(loss, recomputes);
  }
};

/// Every value in separate memory.
Plan plan_without_sharing(const Program& program) {
  Plan result = plan(program);
  result.size = 0;
  for (std::size_t id = 0; id < program.tensors().size(); ++id) {
    if (result.offsets[id] < 0 || program.root(static_cast<int>(id)) != static_cast<int>(id))
      continue;
    result.offsets[id] = result.size;
    result.size += num_numbers(program.tensors()[id].shape);
  }
  return result;
}

TEST(Plan, NoTwoLiveValuesOverlap) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const RandomProgram random(seed);
    const Plan made = plan(random.program);  // also checks itself
    const auto& tensors = random.program.tensors();
    // The same by brute force: a step must not overwrite values that are read later.
    const auto& steps = random.program.steps();
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const auto& written = steps[i].is_backward ? steps[i].input_grads : steps[i].outputs;
      for (const int id : written) {
        if (id < 0 || made.offsets[static_cast<std::size_t>(id)] < 0) continue;
        const std::int64_t begin = made.offsets[static_cast<std::size_t>(id)];
        const std::int64_t end = begin + num_numbers(tensors[static_cast<std::size_t>(id)].shape);
        for (std::size_t other = 0; other < tensors.size(); ++other) {
          const Plan::Lifetime& life = made.lifetimes[other];
          const bool lives = tensors[other].root == static_cast<int>(other) &&
                             static_cast<int>(other) != id && life.begin >= 0 &&
                             life.begin < static_cast<std::int64_t>(i) &&
                             life.end > static_cast<std::int64_t>(i);
          if (!lives) continue;
          const std::int64_t other_begin = made.offsets[other];
          const std::int64_t other_end = other_begin + num_numbers(tensors[other].shape);
          EXPECT_TRUE(end <= other_begin || other_end <= begin) << "seed " << seed;
        }
      }
    }
  }
}

/// Whether b, a later step, must wait for a: one writes memory that the other uses.
bool conflict(const Program& program, const Plan& made, const Step& a, const Step& b) {
  const auto touches = [&](const Step& step, bool writes) {
    std::vector<std::pair<std::int64_t, std::int64_t>> ranges;
    const auto add = [&](const std::vector<int>& ids) {
      for (const int id : ids) {
        if (id < 0) continue;
        const Program::Tensor& tensor = program.tensor(program.root(id));
        constexpr std::int64_t kGradients = 1'000'000'000;  // a place of their own
        const std::int64_t begin = tensor.kind == Program::Kind::kResult
                                       ? made.offsets[static_cast<std::size_t>(id)]
                                       : kGradients + tensor.offset;
        if (tensor.kind != Program::Kind::kResult && tensor.kind != Program::Kind::kGradient)
          continue;
        ranges.emplace_back(begin, begin + num_numbers(tensor.shape));
      }
    };
    add(step.is_backward ? step.input_grads : step.outputs);
    if (writes) return ranges;
    add(step.inputs);
    add(step.outputs);
    add(step.grads);
    return ranges;
  };
  const auto meet = [](const auto& one, const auto& two) {
    for (const auto& [begin, end] : one) {
      for (const auto& [other_begin, other_end] : two) {
        if (begin < other_end && other_begin < end) return true;
      }
    }
    return false;
  };
  return meet(touches(a, true), touches(b, false)) || meet(touches(b, true), touches(a, false));
}

TEST(Schedule, StepsThatUseTheSameMemoryAreInOrder) {
  int num_parallel = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const RandomProgram random(seed);
    const auto& steps = random.program.steps();
    for (const Plan& made : {plan(random.program), gpu_plan(random.program, 4)}) {
      const std::size_t middle = random.program.num_forward_steps();
      for (const auto& [begin, end] : {std::pair(std::size_t{0}, middle), {middle, steps.size()}}) {
        const Schedule order = schedule(random.program, made, begin, end);
        ASSERT_EQ(order.items.size(), end - begin);
        // earlier[j][i]: step j starts when i has ended.
        std::vector<std::vector<bool>> earlier(end - begin, std::vector<bool>(end - begin));
        for (std::size_t j = 0; j < order.items.size(); ++j) {
          const auto add = [&](std::size_t i) {
            ASSERT_LT(i, j);
            earlier[j][i] = true;
            for (std::size_t k = 0; k < i; ++k) earlier[j][k] = earlier[j][k] || earlier[i][k];
          };
          for (std::size_t i = 0; i < j; ++i) {
            if (order.items[i].branch == order.items[j].branch) add(i);
          }
          for (const std::size_t i : order.items[j].after) {
            EXPECT_TRUE(order.items[i].is_awaited);
            add(i);
          }
          for (std::size_t i = 0; i < j; ++i) {
            if (!earlier[j][i]) ++num_parallel;
            EXPECT_TRUE(earlier[j][i] ||
                        !conflict(random.program, made, steps[begin + i], steps[begin + j]))
                << "seed " << seed;
          }
        }
        // The end of the pass waits for every branch.
        for (int branch = 1; branch < order.num_branches; ++branch) {
          const auto last = std::ranges::find_if(
              order.items.rbegin(), order.items.rend(),
              [&](const Schedule::Item& item) { return item.branch == branch; });
          EXPECT_TRUE(last->is_awaited);
        }
        EXPECT_EQ(std::ssize(order.last), order.num_branches - 1);
      }
    }
  }
  EXPECT_GT(num_parallel, 1000);
}

TEST(Plan, ValuesOfSmallProgramsShareNoMemoryOnAGpu) {
  const RandomProgram random(3);
  const Plan made = gpu_plan(random.program, 4);
  EXPECT_EQ(made.size, gpu_plan(random.program, 8).size);
  EXPECT_GT(made.size, plan(random.program).size);
  // Where values have a gigabyte, they share it.
  EXPECT_EQ(gpu_plan(random.program, 1'000'000'000).size, plan(random.program).size);
}

TEST(Plan, SharingMemoryChangesNoNumber) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const RandomProgram random(seed);
    std::vector<double> weights, gradients(static_cast<std::size_t>(random.num_weights));
    Random numbers(seed + 1000);
    for (std::int64_t i = 0; i < random.num_weights; ++i) weights.push_back(numbers.uniform(-1, 1));
    Session<double> session(random.program, Device::cpu(), weights, gradients);
    session.forward();
    const double loss = session.numbers(random.loss)[0];
    session.backward();
    // Step by step, each value in separate memory.
    const Plan apart = plan_without_sharing(random.program);
    EXPECT_GE(apart.size, plan(random.program).size);
    std::vector<double> arena(static_cast<std::size_t>(apart.size));
    std::vector<double> expected(gradients.size());
    const Device device = Device::cpu();
    const auto pointer = [&](int id) -> double* {
      if (id < 0) return nullptr;
      const int root = random.program.root(id);
      const Program::Tensor& tensor = random.program.tensor(root);
      switch (tensor.kind) {
        case Program::Kind::kParameter:
          return weights.data() + tensor.offset;
        case Program::Kind::kGradient:
          return expected.data() + tensor.offset;
        case Program::Kind::kConstant:
          return const_cast<double*>(tensor.numbers->numbers<double>());
        case Program::Kind::kResult:
          break;
      }
      return arena.data() + apart.offsets[static_cast<std::size_t>(root)];
    };
    const auto all = [&](const std::vector<int>& ids) {
      std::vector<double*> pointers;
      for (const int id : ids) pointers.push_back(pointer(id));
      return pointers;
    };
    for (const Step& step : random.program.steps()) {
      const auto in = all(step.inputs), out = all(step.outputs), grads = all(step.grads),
                 input_grads = all(step.input_grads);
      const Call<double> call{device.executor(),
                              0,
                              step.shapes,
                              step.result_shapes,
                              {in.data(), in.size()},
                              out,
                              {grads.data(), grads.size()},
                              input_grads};
      step.is_backward ? step.op->backward(call) : step.op->forward(call);
    }
    EXPECT_EQ(*pointer(random.loss.id()), loss) << "seed " << seed;
    EXPECT_EQ(expected, gradients) << "seed " << seed;
  }
}

TEST(Plan, MakingValuesAgainChangesNoNumber) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    std::vector<std::vector<double>> gradients;
    for (const bool recomputes : {false, true}) {
      const RandomProgram random(seed, recomputes);
      std::vector<double> weights;
      Random numbers(seed);
      for (std::int64_t i = 0; i < random.num_weights; ++i) {
        weights.push_back(numbers.uniform(-1, 1));
      }
      auto& each = gradients.emplace_back(weights.size());
      Session<double> session(random.program, Device::cpu(), weights, each);
      session.forward(seed);
      session.backward();
    }
    EXPECT_EQ(gradients[0], gradients[1]) << "seed " << seed;
  }
}

TEST(Plan, MakingValuesAgainTakesLessMemory) {
  const auto size = [](bool recomputes) {
    Program program;
    std::int64_t offset = 0;
    const auto weight = [&](Shape shape) {
      const Weight made = {"w", shape, offset};
      offset += num_numbers(shape);
      return made;
    };
    Value x = linear(program.zeros({1000, 4}), weight({4, 8}));
    for (int i = 0; i < 10; ++i) {
      // x is kept for the second weight, so its dropped version can be recomputed.
      x = linear(drop(x, {0.5, i}), weight({8, 8})) + linear(x, weight({8, 8}));
    }
    program.differentiate(cross_entropy(x, std::vector<std::int64_t>(1000, 1), {1, 2}), recomputes);
    return plan(program).size;
  };
  EXPECT_LT(size(true), size(false));
}

TEST(Plan, ReusesMemory) {
  Program program;
  Value x = program.constant({1000, 4}, std::vector<double>(4000, 1));
  const Weight weight = {"w", {4, 4}, 0};
  for (int i = 0; i < 50; ++i) x = relu(linear(x, weight));
  program.keep(x);
  // A layer reads one matrix and writes another; relu works in place.
  EXPECT_LE(plan(program).size, 2 * 4000 + 32);
}

TEST(Plan, TellsWhatIsWrong) {
  const RandomProgram random(3);
  Plan broken = plan(random.program);
  std::ranges::replace_if(
      broken.offsets, [](std::int64_t place) { return place > 0; }, 0);
  EXPECT_THROW(check_plan(random.program, broken), std::logic_error);
}

TEST(ProgramText, ListsSteps) {
  const RandomProgram random(3);
  const std::string text = program_text(random.program, plan(random.program), 4);
  EXPECT_NE(text.find("linear"), std::string::npos);
  EXPECT_NE(text.find("-- gradients --"), std::string::npos);
  EXPECT_NE(text.find("arena"), std::string::npos);
}

}  // namespace
}  // namespace dsnn::engine
