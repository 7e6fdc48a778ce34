#include "train/link_scores.h"

#include "dsnn/util/error.h"

#include "util/index.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <numeric>

namespace dsnn {

const std::vector<std::string>& link_metrics() {
  static const std::vector<std::string> words = {"accuracy", "macro_f1", "auc",     "ap",
                                                 "mrr",      "hits@20",  "hits@50", "hits@100"};
  return words;
}

double metric_of(const Scores& scores, const std::string& metric) {
  if (metric == "accuracy") return scores.accuracy;
  if (metric == "macro_f1") return scores.macro_f1;
  if (!scores.ranks) {
    throw Error(
        fmt::format("metric {} needs pairs of two classes, 1 and 0; choose accuracy or "
                    "macro_f1",
                    metric));
  }
  if (metric == "auc") return scores.ranks->roc_auc;
  if (metric == "ap") return scores.ranks->average_precision;
  if (metric == "mrr") return scores.ranks->mrr;
  for (std::size_t i = 0; i < kHits.size(); ++i) {
    if (metric == fmt::format("hits@{}", kHits[i])) return scores.ranks->hits[i];
  }
  throw Error(
      fmt::format("metric is '{}', expected one of {}", metric, fmt::join(link_metrics(), ", ")));
}

std::vector<std::pair<std::string, double>> named_ranks(const RankScores& ranks) {
  std::vector<std::pair<std::string, double>> named = {{"ap", ranks.average_precision},
                                                       {"mrr", ranks.mrr}};
  for (std::size_t i = 0; i < kHits.size(); ++i) {
    named.emplace_back(fmt::format("hits@{}", kHits[i]), ranks.hits[i]);
  }
  return named;
}

Scores link_scores(std::span<const float> logits, std::int64_t outputs,
                   std::span<const std::int64_t> labels, const std::string& metric) {
  std::vector<std::int64_t> all(labels.size());
  std::iota(all.begin(), all.end(), 0);
  Scores scores;
  if (outputs > 1) {
    scores = score(logits, outputs, labels, all);
  } else {
    // The logit of class 1 where that of class 0 is 0.
    std::vector<float> both;
    std::vector<double> positives, negatives;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      both.insert(both.end(), {0, logits[i]});
      (labels[i] == 1 ? positives : negatives).push_back(static_cast<double>(logits[i]));
    }
    scores = score(both, 2, labels, all);
    scores.ranks = rank_scores(positives, negatives);
  }
  scores.metric = metric_of(scores, metric);
  return scores;
}

}  // namespace dsnn
