#include "report/link_report.h"

#include "dsnn/train/link_run.h"
#include "dsnn/util/error.h"

#include "page/page.h"
#include "report/curves.h"
#include "report/link_page/files.h"
#include "report/report_json.h"
#include "train/link_config.h"
#include "train/link_scores.h"
#include "train/link_task.h"
#include "train/run_files.h"
#include "util/index.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <vector>

namespace dsnn {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kNumMissing = 30;  // of listed arcs
constexpr std::int64_t kMissingOfNode = 5;

const char* question_text(LinkQuestion question) {
  switch (question) {
    case LinkQuestion::kExistence:
      return "Is there an arc u -> v, or none in either direction?";
    case LinkQuestion::kDirection:
      return "Is the arc u -> v, or v -> u?";
    case LinkQuestion::kThreeClass:
      return "Is the arc u -> v, v -> u, or is there none?";
    case LinkQuestion::kExistenceDirection:
      break;
  }
  return "Is there an arc u -> v? Half of the other pairs are reversed arcs.";
}

/// All metrics of a split that are defined.
Json scores_json(const EnsembleScores& scores) {
  Json json = {{"split", scores.split}, {"num_test", scores.num_test}};
  for (const std::string& metric : link_metrics()) {
    const bool is_share = metric == "accuracy" || metric == "macro_f1";
    if (is_share || scores.test.ranks) json[metric] = metric_of(scores.test, metric);
  }
  return json;
}

/// Where the arcs of the test rank among the pairs without one: ranks are means of the best and the
/// worst among equal scores, as in the MRR.
class Ranks {
 public:
  void add(const std::vector<float>& logits, const std::vector<std::int64_t>& labels) {
    std::vector<float> others;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      if (labels[i] != 1) others.push_back(logits[i]);
    }
    std::ranges::sort(others, std::greater());
    for (std::size_t i = 0; i < labels.size(); ++i) {
      if (labels[i] != 1) continue;
      const auto equal = std::ranges::equal_range(others, logits[i], std::greater());
      const auto above = static_cast<double>(equal.begin() - others.begin());
      const double rank = 1 + above + static_cast<double>(equal.size()) / 2;
      const auto bin = std::ranges::find_if(kLast, [&](double last) { return rank <= last; });
      ++counts_[at(bin - kLast.begin())];
      ++total_;
    }
  }
  Json json() const {
    Json bins = Json::array();
    double from = 1;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      const bool has_end = i < kLast.size();
      bins.push_back({{"from", from},
                      {"to", has_end ? Json(kLast[i]) : Json()},
                      {"share", static_cast<double>(counts_[i]) / static_cast<double>(total_)}});
      if (has_end) from = kLast[i] + 1;
    }
    return {{"num_arcs", total_}, {"bins", bins}};
  }

 private:
  static constexpr std::array<double, 7> kLast = {1, 5, 10, 20, 50, 100, 500};
  std::array<std::int64_t, kLast.size() + 1> counts_ = {};
  std::int64_t total_ = 0;
};

Ranks ranks_of(const Ensemble& ensemble, const Dataset& dataset) {
  const Run& run = ensemble.first();
  const LinkOptions options = link_options(run.config(), dataset);
  Ranks ranks;
  for (const int split : run.splits()) {
    const LinkExamples examples = link_examples(dataset, options, split);
    const LinkPredictor predictor(ensemble, split, message_dataset(dataset, examples.messages));
    ranks.add(predictor.logits(examples.test.pairs), examples.test.labels);
  }
  return ranks;
}

/// The most probable arcs that are missing, a few from each node.
Json missing_json(const Ensemble& ensemble, const Dataset& dataset) {
  const int split = ensemble.first().best_split();
  std::vector<LinkPrediction> top = LinkPredictor(ensemble, split, dataset).top(kMissingOfNode);
  std::ranges::stable_sort(top, std::greater(), &LinkPrediction::probability);
  Json rows = Json::array();
  for (std::size_t i = 0; i < std::min(kNumMissing, top.size()); ++i) {
    rows.push_back({{"source", dataset.node_name(top[i].source)},
                    {"target", dataset.node_name(top[i].target)},
                    {"probability", top[i].probability},
                    {"is_reverse", has_edge(dataset.graph, top[i].source, top[i].target)}});
  }
  return {{"split", split}, {"of_node", kMissingOfNode}, {"arcs", rows}};
}

}  // namespace

std::string link_report(const Ensemble& ensemble, const Dataset& dataset) {
  const Run& first = ensemble.first();
  const std::vector<Run>& members = ensemble.members();
  for (const Run& run : members) check_dataset(run, dataset);
  const LinkQuestion question = link_question(first.config());
  const std::string metric = link_metric(first.config());
  Json json = {{"dataset", first.dataset()},
               {"num_nodes", dataset.graph.num_nodes()},
               {"num_arcs", dataset.graph.num_arcs()},
               {"is_finished", ensemble.is_finished()},
               {"question", question_text(question)},
               {"things", "pairs"},
               {"metric", metric},
               {"splits", Json::array()},
               {"members", Json::array()},
               {"curves", Json::array()}};
  std::vector<double> scores;
  for (const int split : first.splits()) {
    const EnsembleScores of_split = link_scores_of(ensemble, split, dataset);
    scores.push_back(of_split.test.value());
    json["splits"].push_back(scores_json(of_split));
  }
  json["score"] = mean_json(scores, std::nullopt);
  for (std::size_t i = 0; i < members.size(); ++i) {
    const Run& run = members[i];
    std::vector<double> own = scores;
    if (members.size() > 1) {
      own.clear();
      for (const Scores& each : link_test_scores(Ensemble(run.folder()), run.splits(), dataset)) {
        own.push_back(each.value());
      }
    }
    json["members"].push_back(member_json(run, own));
    for (const int split : run.splits()) {
      LearningCurves curves = read_curves(RunFiles(run.folder()).metrics(split), "val_score");
      if (metric != "accuracy") curves.train_accuracy.clear();  // another score
      json["curves"].push_back(curves_json(i, split, run, curves, /*has_validation=*/true));
    }
  }
  json["ranks"] = num_classes(question) == 2 ? ranks_of(ensemble, dataset).json() : Json();
  // A model of directions assumes that there is an arc.
  json["missing"] = question == LinkQuestion::kDirection ? Json() : missing_json(ensemble, dataset);
  const std::string what =
      members.size() == 1 ? first.model() : fmt::format("{} networks", members.size());
  return make_page(kLinkPage, what + " on links of " + first.dataset(), json);
}

}  // namespace dsnn
