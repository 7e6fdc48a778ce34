// Memory layout: first, values that can overwrite another value are grouped; then, largest first,
// each group gets the lowest offset in the arena that is free during its lifetime.
#include "dsnn/engine/plan.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace dsnn::engine {
namespace {

constexpr std::int64_t kAlignment = 16;  // elements: a cache line of floats

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

std::int64_t padded(std::int64_t size) { return (size + kAlignment - 1) / kAlignment * kAlignment; }

/// Values that share memory: each overwrites the previous one.
struct Group {
  std::int64_t begin, end, size;
  std::int64_t offset = -1;
};

class Planner {
 public:
  Planner(const Program& program, bool shares_memory)
      : program_(program), shares_memory_(shares_memory) {
    plan_.offsets.assign(program.tensors().size(), -1);
    plan_.lifetimes.resize(program.tensors().size());
    group_of_.assign(program.tensors().size(), -1);
  }

  Plan make() {
    find_lifetimes();
    make_groups();
    place_groups();
    for (std::size_t id = 0; id < plan_.offsets.size(); ++id) {
      const std::int64_t group = group_of_[at(program_.tensors()[id].root)];
      if (group >= 0) plan_.offsets[id] = groups_[at(group)].offset;
    }
    for (const Step& step : program_.steps()) {
      plan_.scratch = std::max(plan_.scratch,
                               step.op->scratch(step.shapes, step.result_shapes, step.is_backward));
    }
    return std::move(plan_);
  }

 private:
  bool is_placed(int id) const {
    return id >= 0 && program_.tensor(program_.root(id)).kind == Program::Kind::kResult;
  }

  template <class Work>
  static void for_reads(const Step& step, const Work& work) {
    for (const int id : step.inputs) work(id);
    if (step.is_backward) {
      for (const int id : step.outputs) work(id);
      for (const int id : step.grads) work(id);
    }
  }
  static const std::vector<int>& writes(const Step& step) {
    return step.is_backward ? step.input_grads : step.outputs;
  }

  void find_lifetimes() {
    const auto use = [&](int id, std::int64_t step) {
      if (!is_placed(id)) return;
      Plan::Lifetime& life = plan_.lifetimes[at(program_.root(id))];
      if (life.begin < 0) life.begin = step;
      life.end = step;
    };
    const auto& steps = program_.steps();
    for (std::int64_t i = 0; i < std::ssize(steps); ++i) {
      for_reads(steps[at(i)], [&](int id) { use(id, i); });
      for (const int id : writes(steps[at(i)])) use(id, i);
    }
    for (std::size_t id = 0; id < program_.tensors().size(); ++id) {
      Plan::Lifetime& life = plan_.lifetimes[id];
      const bool is_kept = program_.tensors()[id].is_kept || !shares_memory_;
      if (is_kept && life.begin >= 0) life.end = std::ssize(steps);
    }
  }

  /// The value that the result of this step may overwrite, or -1.
  int overwritten(const Step& step, std::int64_t number, int result) const {
    const ArgumentSet arguments =
        step.is_backward ? step.op->overwritable_grad() : step.op->overwritable();
    const auto can_go = [&](int id) {
      if (!is_placed(id)) return false;
      const int root = program_.root(id);
      return plan_.lifetimes[at(root)].end == number &&
             num_numbers(program_.tensor(root).shape) == num_numbers(program_.tensor(result).shape);
    };
    if (step.is_backward) {
      const auto argument = std::ranges::find(step.input_grads, result) - step.input_grads.begin();
      const bool may = arguments.has(static_cast<int>(argument)) && can_go(step.grads[0]);
      // Only one gradient can use it.
      for (std::int64_t i = 0; i < argument && may; ++i) {
        if (arguments.has(static_cast<int>(i)) && step.input_grads[at(i)] >= 0) return -1;
      }
      return may ? step.grads[0] : -1;
    }
    if (result != step.outputs[0]) return -1;
    for (std::size_t i = 0; i < step.inputs.size(); ++i) {
      if (arguments.has(static_cast<int>(i)) && can_go(step.inputs[i])) return step.inputs[i];
    }
    return -1;
  }

  void make_groups() {
    const auto& steps = program_.steps();
    for (std::int64_t i = 0; i < std::ssize(steps); ++i) {
      for (const int id : writes(steps[at(i)])) {
        if (!is_placed(id)) continue;
        const Plan::Lifetime& life = plan_.lifetimes[at(id)];
        const int before = overwritten(steps[at(i)], i, id);
        if (before >= 0) {
          const std::int64_t group = group_of_[at(program_.root(before))];
          groups_[at(group)].end = life.end;
          group_of_[at(id)] = group;
        } else {
          group_of_[at(id)] = std::ssize(groups_);
          groups_.push_back({life.begin, life.end, padded(num_numbers(program_.tensor(id).shape))});
        }
      }
    }
  }

  void place_groups() {
    std::vector<std::size_t> order(groups_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater(), [&](std::size_t g) { return groups_[g].size; });
    std::vector<std::size_t> placed;  // by offset
    for (const std::size_t g : order) {
      Group& group = groups_[g];
      if (group.size == 0) {
        group.offset = 0;
        continue;
      }
      // The smallest gap that is large enough, else at the end.
      std::int64_t end = 0, best = -1, best_gap = std::numeric_limits<std::int64_t>::max();
      for (const std::size_t other : placed) {
        const Group& o = groups_[other];
        if (o.end < group.begin || o.begin > group.end) continue;
        const std::int64_t gap = o.offset - end;
        if (gap >= group.size && gap < best_gap) {
          best = end;
          best_gap = gap;
        }
        end = std::max(end, o.offset + o.size);
      }
      group.offset = best >= 0 ? best : end;
      placed.insert(std::ranges::upper_bound(placed, group.offset, {},
                                             [&](std::size_t o) { return groups_[o].offset; }),
                    g);
      plan_.size = std::max(plan_.size, group.offset + group.size);
    }
  }

  const Program& program_;
  bool shares_memory_;
  Plan plan_;
  std::vector<std::int64_t> group_of_;  // of roots
  std::vector<Group> groups_;
};

/// Whether b may overwrite a.
bool takes_place(const Program& program, const Plan& plan, int a, int b) {
  const Plan::Lifetime &before = plan.lifetimes[at(a)], &after = plan.lifetimes[at(b)];
  if (before.end != after.begin || plan.offsets[at(a)] != plan.offsets[at(b)]) return false;
  const Step& step = program.steps()[at(after.begin)];
  if (!step.is_backward) {
    for (std::size_t i = 0; i < step.inputs.size(); ++i) {
      if (step.inputs[i] >= 0 && program.root(step.inputs[i]) == a &&
          step.op->overwritable().has(static_cast<int>(i))) {
        return step.outputs[0] == b;
      }
    }
    return false;
  }
  if (step.grads[0] < 0 || program.root(step.grads[0]) != a) return false;
  for (std::size_t i = 0; i < step.input_grads.size(); ++i) {
    if (step.input_grads[i] == b) return step.op->overwritable_grad().has(static_cast<int>(i));
  }
  return false;
}

}  // namespace

void check_plan(const Program& program, const Plan& plan) {
  struct Piece {
    int id;
    std::int64_t begin, end;
  };
  std::vector<Piece> pieces;
  for (std::size_t id = 0; id < program.tensors().size(); ++id) {
    const Program::Tensor& tensor = program.tensors()[id];
    const std::int64_t size = num_numbers(tensor.shape);
    if (tensor.root != static_cast<int>(id) || plan.offsets[id] < 0 || size == 0) continue;
    pieces.push_back({static_cast<int>(id), plan.offsets[id], plan.offsets[id] + size});
    if (plan.offsets[id] + size > plan.size)
      throw std::logic_error("plan: a value is outside the arena");
  }
  std::ranges::sort(pieces, {}, &Piece::begin);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    for (std::size_t j = i + 1; j < pieces.size() && pieces[j].begin < pieces[i].end; ++j) {
      const int a = pieces[i].id, b = pieces[j].id;
      const Plan::Lifetime &x = plan.lifetimes[at(a)], &y = plan.lifetimes[at(b)];
      if (x.end < y.begin || y.end < x.begin) continue;
      if (!takes_place(program, plan, a, b) && !takes_place(program, plan, b, a)) {
        throw std::logic_error("plan: two simultaneously live values overlap");
      }
    }
  }
}

Plan plan(const Program& program) {
  Plan result = Planner(program, true).make();
  check_plan(program, result);
  return result;
}

Plan gpu_plan(const Program& program, std::int64_t bytes_per_number) {
  constexpr double kSmall = 512e6;  // bytes
  double numbers = 0;
  for (const Program::Tensor& tensor : program.tensors()) {
    if (tensor.kind == Program::Kind::kResult) {
      numbers += static_cast<double>(num_numbers(tensor.shape));
    }
  }
  if (numbers * static_cast<double>(bytes_per_number) > kSmall) return plan(program);
  Plan result = Planner(program, false).make();
  check_plan(program, result);
  return result;
}

}  // namespace dsnn::engine
