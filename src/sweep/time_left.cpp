#include "sweep/time_left.h"

#include <algorithm>

namespace dsnn {
namespace {

struct Total {
  std::int64_t count = 0, epochs = 0;
  double seconds = 0;

  void add(const SplitResult& result) {
    ++count;
    epochs += result.epochs;
    seconds += result.seconds;
  }
};

}  // namespace

std::optional<double> training_seconds_left(const TrainingPlan& plan,
                                            const std::vector<TrainingRecord>& done,
                                            std::int64_t most_epochs) {
  Total all;
  std::map<std::int64_t, Total> by_limit;
  for (const TrainingRecord& record : done) {
    all.add(record.result);
    by_limit[record.training.epochs].add(record.result);
  }
  double seconds = 0;
  for (const auto& [limit, planned] : plan) {
    const Total& alike = by_limit[limit];
    const auto count = static_cast<double>(std::max<std::int64_t>(0, planned - alike.count));
    if (count == 0) continue;
    if (alike.count > 0) {
      seconds += count * alike.seconds / static_cast<double>(alike.count);
    } else if (all.epochs > 0) {
      const auto epochs = static_cast<double>(limit > 0 ? limit : most_epochs);
      seconds += count * epochs * all.seconds / static_cast<double>(all.epochs);
    } else {
      return std::nullopt;
    }
  }
  return seconds;
}

}  // namespace dsnn
