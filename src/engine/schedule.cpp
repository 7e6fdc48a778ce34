#include "engine/schedule.h"

#include <algorithm>
#include <cstdint>

namespace dsnn::engine {
namespace {

constexpr int kMostBranches = 4;

/// A piece of the arena, or of the gradients.
struct Range {
  bool is_gradient;
  std::int64_t begin, end;

  bool overlaps(const Range& other) const {
    return is_gradient == other.is_gradient && begin < other.end && other.begin < end;
  }
};

struct Access {
  std::vector<Range> reads, writes;

  static bool overlap(const std::vector<Range>& a, const std::vector<Range>& b) {
    return std::ranges::any_of(a, [&](const Range& x) {
      return std::ranges::any_of(b, [&](const Range& y) { return x.overlaps(y); });
    });
  }
  bool conflicts(const Access& other) const {
    return overlap(writes, other.writes) || overlap(writes, other.reads) ||
           overlap(reads, other.writes);
  }
};

/// Weights and constants are never written, so that they do not count.
Access access_of(const Program& program, const Plan& plan, const Step& step) {
  Access access;
  const auto add = [&](const std::vector<int>& ids, std::vector<Range>& to) {
    for (const int id : ids) {
      if (id < 0) continue;
      const Program::Tensor& tensor = program.tensor(program.root(id));
      const std::int64_t size = num_numbers(tensor.shape);
      if (tensor.kind == Program::Kind::kResult) {
        const std::int64_t offset = plan.offsets[static_cast<std::size_t>(id)];
        to.push_back({false, offset, offset + size});
      } else if (tensor.kind == Program::Kind::kGradient) {
        to.push_back({true, tensor.offset, tensor.offset + size});
      }
    }
  };
  add(step.inputs, access.reads);
  if (step.is_backward) {
    add(step.outputs, access.reads);
    add(step.grads, access.reads);
    add(step.input_grads, access.writes);
  } else {
    add(step.outputs, access.writes);
  }
  return access;
}

class Scheduler {
 public:
  /// Appends a step, with the steps before it that it must wait for.
  void add(const std::vector<std::size_t>& before, bool is_backward) {
    const std::size_t number = result_.items.size();
    const int branch = choose(before);
    Schedule::Item item{branch, {}, false};
    // done[b]: of the steps of branch b, those below have ended when this one starts.
    std::vector<std::size_t> done(kMostBranches);
    double start = 0;
    if (branch < std::ssize(ends_) && ends_[at(branch)] > 0) {
      done = done_[ends_[at(branch)] - 1];
      start = finish_[ends_[at(branch)] - 1];
    }
    for (std::size_t i = before.size(); i-- > 0;) {  // later ones include earlier ones
      const std::size_t other = before[i];
      const auto of = at(result_.items[other].branch);
      start = std::max(start, finish_[other]);
      if (done[of] > other) continue;
      item.after.push_back(other);
      result_.items[other].is_awaited = true;
      for (std::size_t b = 0; b < done.size(); ++b) done[b] = std::max(done[b], done_[other][b]);
    }
    done[at(branch)] = number + 1;
    done_.push_back(done);
    finish_.push_back(start + (is_backward ? 2 : 1));
    ends_.resize(std::max(ends_.size(), at(branch) + 1));
    ends_[at(branch)] = number + 1;
    result_.items.push_back(std::move(item));
  }

  Schedule finish() {
    result_.num_branches = std::max(1, static_cast<int>(ends_.size()));
    for (std::size_t b = 1; b < ends_.size(); ++b) {
      result_.last.push_back(ends_[b] - 1);
      result_.items[ends_[b] - 1].is_awaited = true;
    }
    return std::move(result_);
  }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  /// Where the step that ends last is the last one of its branch, that branch; else one that is
  /// free, or that is free first.
  int choose(const std::vector<std::size_t>& before) const {
    int best = -1;
    double latest = -1;
    for (const std::size_t other : before) {
      const int branch = result_.items[other].branch;
      if (ends_[at(branch)] == other + 1 && finish_[other] >= latest) {
        latest = finish_[other];
        best = branch;
      }
    }
    if (best >= 0) return best;
    if (std::ssize(ends_) < kMostBranches) return static_cast<int>(ends_.size());
    const auto first = std::ranges::min_element(
        ends_, {}, [&](std::size_t end) { return end == 0 ? 0.0 : finish_[end - 1]; });
    return static_cast<int>(first - ends_.begin());
  }

  Schedule result_;
  std::vector<std::size_t> ends_;               // of branches: the step after their last
  std::vector<std::vector<std::size_t>> done_;  // of steps
  std::vector<double> finish_;                  // of steps, in steps
};

}  // namespace

Schedule schedule(const Program& program, const Plan& plan, std::size_t begin, std::size_t end) {
  std::vector<Access> accesses;
  Scheduler scheduler;
  for (std::size_t i = begin; i < end; ++i) {
    const Step& step = program.steps()[i];
    accesses.push_back(access_of(program, plan, step));
    std::vector<std::size_t> before;
    for (std::size_t j = 0; j + 1 < accesses.size(); ++j) {
      if (accesses[j].conflicts(accesses.back())) before.push_back(j);
    }
    scheduler.add(before, step.is_backward);
  }
  return scheduler.finish();
}

}  // namespace dsnn::engine
