#include "sweep/schedule.h"

#include "util/index.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace dsnn {
namespace {

/// For comparisons: trials with equally many hits tie, regardless of rounding in the sum.
double rounded(double score) {
  constexpr double kDigits = 1e12;
  return std::round(score * kDigits) / kDigits;
}

}  // namespace

Schedule::Schedule(std::vector<Rung> rungs, int keep, std::int64_t bracket,
                   std::optional<std::int64_t> num_trials)
    : rungs_(std::move(rungs)),
      keep_(keep),
      bracket_(rungs_.size() == 1 ? 1 : bracket),  // with a single rung, trials are not compared
      num_trials_(num_trials) {}

Training Schedule::training(std::int64_t trial, int rung, int split) const {
  return {trial, rungs_[at(rung)].epochs, split};
}

std::optional<double> Schedule::score(const Outcomes& outcomes, std::int64_t trial,
                                      int rung) const {
  double sum = 0;
  bool is_failed = false;
  const int splits = rungs_[at(rung)].splits;
  for (int split = 0; split < splits; ++split) {
    const auto found = outcomes.find(training(trial, rung, split));
    if (found == outcomes.end()) return std::nullopt;
    is_failed = is_failed || found->second < 0;
    sum += found->second;
  }
  return is_failed ? -1 : sum / splits;
}

template <class Visit>
void Schedule::for_rungs(const Outcomes& outcomes, std::int64_t bracket, const Visit& visit) const {
  std::vector<std::int64_t> trials;
  const std::int64_t begin = bracket * bracket_;
  const std::int64_t end =
      num_trials_ ? std::min(*num_trials_, begin + bracket_) : begin + bracket_;
  for (std::int64_t trial = begin; trial < end; ++trial) trials.push_back(trial);
  for (int rung = 0; rung < std::ssize(rungs_) && !trials.empty(); ++rung) {
    visit(rung, trials);
    std::vector<std::pair<double, std::int64_t>> scores;  // the best first
    for (const std::int64_t trial : trials) {
      const auto mean = score(outcomes, trial, rung);
      if (!mean) return;  // promotion is not yet decided
      scores.emplace_back(-rounded(*mean), trial);
    }
    std::ranges::sort(scores);
    trials.clear();
    const std::size_t kept = (scores.size() + at(keep_) - 1) / at(keep_);
    for (std::size_t i = 0; i < kept; ++i) {
      if (scores[i].first <= 0) trials.push_back(scores[i].second);  // but no failed trials
    }
  }
}

std::vector<Training> Schedule::ready(const Outcomes& outcomes, const std::set<Training>& taken,
                                      std::size_t limit) const {
  std::vector<Training> result;
  for (std::int64_t bracket = 0; result.size() < limit; ++bracket) {
    if (num_trials_ && bracket * bracket_ >= *num_trials_) break;
    for_rungs(outcomes, bracket, [&](int rung, const std::vector<std::int64_t>& trials) {
      for (const std::int64_t trial : trials) {
        for (int split = 0; split < rungs_[at(rung)].splits && result.size() < limit; ++split) {
          const Training next = training(trial, rung, split);
          if (!outcomes.contains(next) && !taken.contains(next)) result.push_back(next);
        }
      }
    });
  }
  return result;
}

bool Schedule::is_complete(const Outcomes& outcomes) const {
  return num_trials_ && ready(outcomes, {}, 1).empty();
}

std::vector<Standing> Schedule::standings(const Outcomes& outcomes) const {
  std::map<std::int64_t, Standing> by_trial;
  for (const auto& [training, accuracy] : outcomes) {
    Standing& standing = by_trial[training.trial];
    standing.trial = training.trial;
    standing.is_failed = standing.is_failed || accuracy < 0;
  }
  std::vector<Standing> result;
  for (auto& [trial, standing] : by_trial) {
    for (int rung = 0; rung < std::ssize(rungs_); ++rung) {
      const auto mean = score(outcomes, trial, rung);
      if (!mean || *mean < 0) break;
      standing.rung = rung;
      standing.validation = *mean;
    }
    result.push_back(standing);
  }
  std::ranges::sort(result, [](const Standing& a, const Standing& b) {
    return std::tuple(a.is_failed, -a.rung, -rounded(a.validation), a.trial) <
           std::tuple(b.is_failed, -b.rung, -rounded(b.validation), b.trial);
  });
  return result;
}

std::vector<std::int64_t> Schedule::num_trainings() const {
  std::vector<std::int64_t> result(rungs_.size());
  const auto add = [&](std::int64_t num_brackets, std::int64_t trials) {
    std::map<std::int64_t, int> done;  // splits, by epochs
    for (std::size_t rung = 0; rung < rungs_.size(); ++rung) {
      int& before = done[rungs_[rung].epochs];
      const int more = std::max(0, rungs_[rung].splits - before);
      before += more;
      result[rung] += num_brackets * trials * more;
      trials = (trials + keep_ - 1) / keep_;
    }
  };
  const std::int64_t trials = num_trials_.value_or(bracket_);
  add(trials / bracket_, bracket_);
  add(1, trials % bracket_);
  return result;
}

}  // namespace dsnn
