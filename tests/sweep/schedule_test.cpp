#include "sweep/schedule.h"

#include "dsnn/util/random.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace dsnn {
namespace {

const std::vector<Rung> kRungs = {{1, 50}, {2, 0}, {4, 0}};

/// The outcome of a training: a function only of the training.
double outcome_of(const Training& training) {
  return uniform_at(static_cast<std::uint64_t>(training.trial),
                    static_cast<std::uint64_t>(training.split) * 1000 +
                        static_cast<std::uint64_t>(training.epochs));
}

/// Runs all remaining trainings, several at a time, which end in any order.
Outcomes run(const Schedule& schedule, std::uint64_t seed, std::size_t at_a_time,
             Outcomes outcomes = {}) {
  Random random(seed);
  std::set<Training> taken;
  for (;;) {
    while (taken.size() < at_a_time) {
      const auto next = schedule.ready(outcomes, taken, 1);
      if (next.empty()) break;
      taken.insert(next.front());
    }
    if (taken.empty()) break;
    auto done = taken.begin();
    std::advance(done, random.below(taken.size()));
    outcomes[*done] = outcome_of(*done);
    taken.erase(done);
  }
  return outcomes;
}

TEST(Schedule, TheOrderInWhichTrainingsEndChangesNothing) {
  const Schedule schedule(kRungs, 3, 9, 20);
  const Outcomes expected = run(schedule, 0, 1);
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    EXPECT_EQ(run(schedule, seed, 1 + seed % 7), expected);
  }
  EXPECT_TRUE(schedule.is_complete(expected));
}

// Continuing with more trials: the same trainings as in a sweep of this size, and finished ones
// stays.
TEST(Schedule, MoreTrialsCompeteWithThoseThatWereLeftBehind) {
  const Schedule few(kRungs, 3, 27, 9), more(kRungs, 3, 27, 14);
  const Outcomes begun = run(few, 0, 1);
  const Outcomes gone_on = run(more, 1, 3, begun), at_once = run(more, 0, 1);
  EXPECT_TRUE(more.is_complete(gone_on));
  for (const auto& [training, accuracy] : at_once) EXPECT_TRUE(gone_on.contains(training));
  for (const auto& [training, accuracy] : gone_on) {
    EXPECT_TRUE(at_once.contains(training) || begun.contains(training));
  }
  EXPECT_GT(gone_on.size(), begun.size());
}

// 1 + 4/6 and 5/6 + 5/6 are the same number of hits; added up they differ in the last bit.
TEST(Schedule, TiesGoToTheLowerNumber) {
  const Schedule schedule({{2, 0}}, 2, 2, 2);
  const Outcomes outcomes = {
      {{0, 0, 0}, 1.0}, {{0, 0, 1}, 4.0 / 6}, {{1, 0, 0}, 5.0 / 6}, {{1, 0, 1}, 5.0 / 6}};
  ASSERT_LT(1.0 + 4.0 / 6, 5.0 / 6 + 5.0 / 6);
  EXPECT_EQ(schedule.standings(outcomes).front().trial, 0);
}

// The last two rungs share trainings, the first two do not.
TEST(Schedule, CountsTrainingsInAdvance) {
  for (const std::int64_t num_trials : {1, 2, 8, 9, 10, 20, 27}) {
    const Schedule schedule(kRungs, 3, 9, num_trials);
    std::int64_t first = 0, second = 0, third = 0;
    for (const auto& [training, accuracy] : run(schedule, 0, 1)) {
      ++(training.epochs == 50 ? first : training.split < 2 ? second : third);
    }
    EXPECT_EQ(schedule.num_trainings(), (std::vector{first, second, third})) << num_trials;
  }
}

TEST(Schedule, AnEnormousGridTakesNoTime) {
  const std::int64_t size = 1'000'000'000'000;
  const Schedule schedule({{10, 0}}, 3, size, size);
  EXPECT_EQ(schedule.num_trainings(), std::vector{10 * size});
  EXPECT_EQ(schedule.ready({}, {}, 1).size(), 1u);
}

// Brackets of 9, 9 and 2 trials: 9, 3 and 1 of a bracket of nine, 2, 1 and 1 of the last.
TEST(Schedule, TheBetterThirdGoesOn) {
  const Schedule schedule(kRungs, 3, 9, 20);
  const Outcomes outcomes = run(schedule, 0, 2);
  const auto count = [&](std::int64_t epochs, int split) {
    return std::ranges::count_if(outcomes, [&](const auto& o) {
      return o.first.epochs == epochs && o.first.split == split;
    });
  };
  EXPECT_EQ(count(50, 0), 20);
  EXPECT_EQ(count(0, 0), 3 + 3 + 1);
  EXPECT_EQ(count(0, 1), 3 + 3 + 1);
  EXPECT_EQ(count(0, 2), 1 + 1 + 1);
  EXPECT_EQ(count(0, 3), 1 + 1 + 1);
  // In the first bracket: no dropped trial was better than a continued one.
  double worst_promoted = 1, best_left = 0;
  for (std::int64_t trial = 0; trial < 9; ++trial) {
    const double first = outcomes.at({trial, 50, 0});
    if (outcomes.contains({trial, 0, 0})) {
      worst_promoted = std::min(worst_promoted, first);
    } else {
      best_left = std::max(best_left, first);
    }
  }
  EXPECT_GT(worst_promoted, best_left);
}

TEST(Schedule, StandingsPutThoseFirstThatCameFurthest) {
  const Schedule schedule(kRungs, 3, 9, 20);
  const std::vector<Standing> standings = schedule.standings(run(schedule, 0, 2));
  ASSERT_EQ(standings.size(), 20u);
  EXPECT_EQ(standings.front().rung, 2);
  for (std::size_t i = 1; i < standings.size(); ++i) {
    EXPECT_LE(standings[i].rung, standings[i - 1].rung);
    if (standings[i].rung == standings[i - 1].rung) {
      EXPECT_LE(standings[i].validation, standings[i - 1].validation);
    }
  }
}

TEST(Schedule, ATrainingThatFailedIsTheWorst) {
  const Schedule schedule({{1, 10}, {1, 0}}, 2, 2, 2);
  const Outcomes outcomes = {{{0, 10, 0}, -1}, {{1, 10, 0}, 0.01}};
  const auto next = schedule.ready(outcomes, {}, 5);
  ASSERT_EQ(next.size(), 1u);
  EXPECT_EQ(next.front().trial, 1);
}

// Even if it is good on its other splits.
TEST(Schedule, ATrialWithASplitThatFailedStaysBehind) {
  const Schedule schedule({{2, 10}, {2, 0}}, 2, 2, 2);
  const Outcomes outcomes = {{{0, 10, 0}, 1}, {{0, 10, 1}, -1}, {{1, 10, 0}, 0}, {{1, 10, 1}, 0}};
  const auto next = schedule.ready(outcomes, {}, 5);
  ASSERT_EQ(next.size(), 2u);
  EXPECT_EQ(next.front().trial, 1);
}

TEST(Schedule, WhereAllFailedNobodyGoesOn) {
  const Schedule schedule({{1, 10}, {1, 0}}, 2, 2, 2);
  EXPECT_TRUE(schedule.is_complete({{{0, 10, 0}, -1}, {{1, 10, 0}, -1}}));
}

TEST(Schedule, ATrialThatFailedOnItsWayIsNotTheBest) {
  const Schedule schedule({{1, 10}, {2, 0}}, 2, 2, 2);
  const Outcomes outcomes = {
      {{0, 10, 0}, 0.9}, {{1, 10, 0}, 0.5}, {{0, 0, 0}, 0.9}, {{0, 0, 1}, -1}};
  const std::vector<Standing> standings = schedule.standings(outcomes);
  ASSERT_EQ(standings.size(), 2u);
  EXPECT_EQ(standings[0].trial, 1);
  EXPECT_FALSE(standings[0].is_failed);
  EXPECT_EQ(standings[1].trial, 0);
  EXPECT_TRUE(standings[1].is_failed);
  EXPECT_EQ(standings[1].rung, 0);  // what it had reached before
  EXPECT_DOUBLE_EQ(standings[1].validation, 0.9);
  EXPECT_TRUE(schedule.is_complete(outcomes));
}

TEST(Schedule, WithoutAnEndThereIsAlwaysAnotherBracket) {
  const Schedule schedule({{1, 0}}, 3, 4, std::nullopt);
  Outcomes outcomes;
  for (int i = 0; i < 50; ++i) {
    const auto next = schedule.ready(outcomes, {}, 1);
    ASSERT_EQ(next.size(), 1u);
    outcomes[next.front()] = 0.5;
  }
  EXPECT_FALSE(schedule.is_complete(outcomes));
}

}  // namespace
}  // namespace dsnn
