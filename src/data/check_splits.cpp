#include "dsnn/data/splits.h"
#include "dsnn/util/error.h"

#include "data/check_dataset.h"
#include "util/index.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace dsnn {
namespace {

/// Numbers of nodes in one split.
struct Census {
  std::int64_t train = 0, validation = 0, test = 0;
  std::int64_t learned = 0;     // train, and have a label where any has
  std::int64_t in_two = 0;      // of train, validation and test
  std::int64_t unlabelled = 0;  // in one of them, and without a label
  std::int64_t untrained = 0;   // in one of them, and of a class that no training node has
};

Census count_nodes(const Split& split, const std::vector<std::int64_t>& labels,
                   std::int64_t num_classes) {
  Census census;
  std::vector<std::int64_t> class_sizes(at(num_classes), 0);
  std::vector<bool> is_trained(at(num_classes), false);
  for (std::size_t u = 0; u < split.train.size(); ++u) {
    const int parts = split.train[u] + split.validation[u] + split.test[u];
    census.train += split.train[u];
    census.learned += split.train[u] != 0 && (labels.empty() || labels[u] >= 0);
    census.validation += split.validation[u];
    census.test += split.test[u];
    census.in_two += parts > 1;
    if (labels.empty() || parts == 0) continue;
    const std::int64_t label = labels[u];
    census.unlabelled += label < 0;
    if (label < 0) continue;
    ++class_sizes[at(label)];
    if (split.train[u] != 0) is_trained[at(label)] = true;
  }
  for (std::size_t c = 0; c < class_sizes.size(); ++c) {
    if (!is_trained[c]) census.untrained += class_sizes[c];
  }
  return census;
}

enum class Severity { kWorthKnowing, kError, kPreventsTraining };

SplitProblem problem_of(Severity severity, std::string text) {
  return {severity != Severity::kWorthKnowing, severity == Severity::kPreventsTraining,
          std::move(text)};
}

// Counts one kind of problem over all splits and reports it once.
class Trouble {
 public:
  Trouble(Severity severity, std::string what) : severity_(severity), what_(std::move(what)) {}

  /// `nodes` nodes of split number `split` have the problem; possibly none.
  void add(int split, bool is_there, std::int64_t nodes) {
    if (!is_there) return;
    if (num_splits_++ == 0) first_ = split;
    most_nodes_ = std::max(most_nodes_, nodes);
  }

  void report(std::size_t num_splits, std::vector<SplitProblem>& problems) const {
    if (num_splits_ == 0) return;
    const std::string where = num_splits_ == 1 ? fmt::format("split {}", first_)
                                               : fmt::format("{} of {} splits (the first is {})",
                                                             num_splits_, num_splits, first_);
    const std::string up_to = num_splits_ > 1 ? "up to " : "";
    problems.push_back(problem_of(
        severity_,
        fmt::format("{}: {}", where, fmt::format(fmt::runtime(what_), up_to, most_nodes_))));
  }

 private:
  Severity severity_;
  std::string what_;
  int first_ = 0;
  std::size_t num_splits_ = 0;
  std::int64_t most_nodes_ = 0;
};

}  // namespace

std::vector<SplitProblem> check_splits(const Dataset& dataset) {
  std::vector<int> numbers(dataset.splits.size());
  std::iota(numbers.begin(), numbers.end(), 0);
  return check_splits(dataset, numbers);
}

std::vector<SplitProblem> check_splits(const Dataset& dataset, std::span<const int> numbers) {
  using enum Severity;
  check_labels(dataset);
  const auto n = at(dataset.graph.num_nodes());
  std::vector<SplitProblem> problems;
  Trouble overlap(kPreventsTraining,
                  "{}{} nodes are in more than one of training, validation and test");
  Trouble no_train(kPreventsTraining,
                   dataset.labels.empty() ? "no training nodes" : "no training nodes with a label");
  Trouble no_test(kError, "no test nodes");
  Trouble no_validation(kWorthKnowing, "no validation nodes");
  Trouble unlabelled(kWorthKnowing, "{}{} nodes have no label");
  Trouble untrained(kWorthKnowing, "{}{} nodes belong to classes without a training node");
  for (const int s : numbers) {
    const Split& split = dataset.splits[at(s)];
    if (split.train.size() != n || split.validation.size() != n || split.test.size() != n) {
      problems.push_back(problem_of(
          kPreventsTraining,
          fmt::format("split {}: masks of {}, {} and {} nodes, expected {}", s, split.train.size(),
                      split.validation.size(), split.test.size(), n)));
      continue;
    }
    const Census census = count_nodes(split, dataset.labels, dataset.num_classes);
    overlap.add(s, census.in_two > 0, census.in_two);
    no_train.add(s, census.learned == 0, 0);
    no_test.add(s, census.test == 0, 0);
    no_validation.add(s, census.validation == 0, 0);
    unlabelled.add(s, census.unlabelled > 0, census.unlabelled);
    untrained.add(s, census.learned > 0 && census.untrained > 0, census.untrained);
  }
  for (const Trouble* trouble :
       {&overlap, &no_train, &no_test, &no_validation, &unlabelled, &untrained}) {
    trouble->report(numbers.size(), problems);
  }
  return problems;
}

}  // namespace dsnn
