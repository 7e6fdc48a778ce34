#include "dsnn/report/report.h"

#include "dsnn/util/error.h"

#include "page/page.h"
#include "report/comparison.h"
#include "report/curves.h"
#include "report/learned_sheaf.h"
#include "report/link_report.h"
#include "report/page/files.h"
#include "report/report_json.h"
#include "report/statistics.h"
#include "train/run_files.h"
#include "util/index.h"
#include "util/log_sum_exp.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <ranges>

namespace dsnn {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kNumWorst = 20;  // number of listed nodes and edges

/// The predictions of each split's model for its test nodes, one split after the other.
struct Tested {
  std::vector<Prediction> predictions;
  std::vector<Scores> scores;                       ///< of the splits
  std::vector<std::int64_t> num_tested, num_right;  ///< nodes of the splits

  std::vector<double> accuracies() const {
    std::vector<double> result;
    for (const Scores& each : scores) result.push_back(each.accuracy);
    return result;
  }
};

Tested test(const Ensemble& ensemble, const Dataset& dataset) {
  const Run& run = ensemble.first();
  const std::int64_t classes = run.num_classes();
  const std::vector<std::vector<float>> logits = ensemble.logits(run.splits(), dataset);
  Tested tested;
  std::vector<double> probabilities(at(classes));
  for (std::size_t i = 0; i < logits.size(); ++i) {
    const int split = run.splits()[i];
    std::vector<std::int64_t> nodes;
    for (std::size_t u = 0; u < dataset.labels.size(); ++u) {
      if (dataset.splits[at(split)].test[u] == 0 || dataset.labels[u] < 0) continue;
      nodes.push_back(static_cast<std::int64_t>(u));
      softmax_of(logits[i].data() + u * at(classes), classes, probabilities.data());
      const auto best = std::ranges::max_element(probabilities);
      tested.predictions.push_back(
          {split, static_cast<NodeId>(u), dataset.labels[u], best - probabilities.begin(), *best});
    }
    if (nodes.empty()) {
      throw Error(fmt::format("{}: split {} has no test node with a label", dataset.name, split));
    }
    tested.scores.push_back(score(logits[i], classes, dataset.labels, nodes));
    tested.num_tested.push_back(std::ssize(nodes));
    tested.num_right.push_back(std::count_if(tested.predictions.end() - std::ssize(nodes),
                                             tested.predictions.end(),
                                             [](const Prediction& p) { return p.is_right(); }));
  }
  return tested;
}

Json number_json(const std::optional<double>& number) { return number ? Json(*number) : Json(); }

/// The scores of each split and their means.
void add_scores(Json& json, const Ensemble& ensemble, const Tested& tested) {
  const Run& run = ensemble.first();
  std::vector<double> macro_f1;
  std::optional<Interval> interval;
  json["splits"] = Json::array();
  for (std::size_t i = 0; i < tested.scores.size(); ++i) {
    const int split = run.splits()[i];
    macro_f1.push_back(tested.scores[i].macro_f1);
    interval = wilson_interval(tested.num_right[i], tested.num_tested[i]);
    json["splits"].push_back({{"split", split},
                              {"num_test", tested.num_tested[i]},
                              {"accuracy", tested.scores[i].accuracy},
                              {"interval", interval_json(interval)},
                              {"macro_f1", macro_f1.back()}});
  }
  json["accuracy"] = mean_json(tested.accuracies(), interval);
  json["macro_f1"] = mean_json(macro_f1, std::nullopt);
}

/// Those of a member: a curve for each split.
void add_curves(Json& all, std::size_t member, const Run& run, const Dataset& dataset) {
  for (const int split : run.splits()) {
    const auto& mask = dataset.splits[at(split)].validation;
    all.push_back(
        curves_json(member, split, run, read_curves(RunFiles(run.folder()).metrics(split)),
                    std::ranges::any_of(mask, [](std::uint8_t is_in) { return is_in != 0; })));
  }
}

/// The confusion matrix and the scores of each class.
void add_classes(Json& json, const Run& run, const Dataset& dataset, const Tested& tested) {
  const std::int64_t classes = run.num_classes();
  const std::vector<std::int64_t> confusion = confusion_matrix(tested.predictions, classes);
  const std::vector<ClassScores> scores = class_scores(confusion, classes);
  std::int64_t largest = 0;
  json["classes"] = Json::array();
  json["confusion"] = Json::array();
  for (std::int64_t c = 0; c < classes; ++c) {
    const ClassScores& s = scores[at(c)];
    json["classes"].push_back({{"name", dataset.label_name(c)},
                               {"precision", number_json(s.precision)},
                               {"recall", number_json(s.recall)},
                               {"f1", number_json(s.f1)},
                               {"support", s.support}});
    json["confusion"].push_back(
        std::vector(confusion.begin() + c * classes, confusion.begin() + (c + 1) * classes));
    largest = std::max(largest, s.support);
  }
  json["largest_class"] =
      static_cast<double>(largest) / static_cast<double>(tested.predictions.size());
}

Json calibration_json(const Calibration& calibration) {
  Json json = {{"error", calibration.error}, {"bins", Json::array()}};
  for (const ReliabilityBin& bin : calibration.bins) {
    json["bins"].push_back({{"count", bin.count},
                            {"probability", bin.count > 0 ? Json(bin.probability) : Json()},
                            {"accuracy", bin.count > 0 ? Json(bin.accuracy) : Json()}});
  }
  return json;
}

Json mistakes_json(const Tested& tested, const Dataset& dataset) {
  const std::vector<Mistake> mistakes = find_mistakes(tested.predictions);
  Json json = {{"num_nodes", mistakes.size()}, {"worst", Json::array()}};
  for (const Mistake& mistake : mistakes | std::views::take(kNumWorst)) {
    const Prediction& p = mistake.prediction;
    json["worst"].push_back({{"node", dataset.node_name(p.node)},
                             {"label", dataset.label_name(p.label)},
                             {"predicted", dataset.label_name(p.predicted)},
                             {"probability", p.probability},
                             {"degree", dataset.graph.degree(p.node)},
                             {"num_wrong", mistake.num_wrong},
                             {"num_tested", mistake.num_tested}});
  }
  return json;
}

/// The test accuracies of one member alone.
std::vector<double> accuracies_of(const Run& run, const Dataset& dataset) {
  std::vector<double> accuracies;
  for (const Scores& scores : run.test_scores(run.splits(), dataset)) {
    accuracies.push_back(scores.accuracy);
  }
  return accuracies;
}

/// Where its number is.
std::size_t first_with(const Ensemble& ensemble, const char* parameter) {
  const std::vector<Run>& members = ensemble.members();
  const auto found = std::ranges::find_if(members, [&](const Run& run) {
    return std::ranges::any_of(run.config().parameters(),
                               [&](const Parameter& p) { return p.name == parameter; });
  });
  return found == members.end() ? 0 : at(found - members.begin());
}

Json comparisons_json(const std::vector<Comparison>& comparisons) {
  Json json = Json::array();
  for (const Comparison& comparison : comparisons) {
    const bool is_there = !comparison.splits.empty();
    json.push_back(
        {{"name", comparison.name},
         {"num_splits", comparison.splits.size()},
         {"accuracy", is_there ? Json(mean_and_deviation(comparison.accuracies).mean) : Json()},
         {"difference", is_there ? Json(comparison.difference) : Json()},
         {"interval", interval_json(comparison.interval)},
         {"corrected", interval_json(comparison.corrected)}});
  }
  return json;
}

Json sheaf_json(const std::optional<LearnedSheaf>& sheaf, const Dataset& dataset) {
  if (!sheaf) return {};
  Json json = {{"split", sheaf->split},
               {"charge", number_json(sheaf->charge)},
               {"from", sheaf->from},
               {"to", sheaf->to},
               {"layers", Json::array()},
               {"num_edges", dataset.graph.num_edges()},
               {"median", sheaf->median_disagreement},
               {"edges", Json::array()}};
  for (const LearnedSheaf::Histogram& histogram : sheaf->histograms) {
    json["layers"].push_back({{"layer", histogram.layer}, {"counts", histogram.counts}});
  }
  const auto label_of = [&](NodeId u) {
    const std::int64_t label = dataset.labels[at(u)];
    return label < 0 ? Json() : Json(dataset.label_name(label));
  };
  for (const LearnedSheaf::Edge& edge : sheaf->edges) {
    json["edges"].push_back({{"source", dataset.node_name(edge.source)},
                             {"target", dataset.node_name(edge.target)},
                             {"is_two_way", edge.is_two_way},
                             {"source_label", label_of(edge.source)},
                             {"target_label", label_of(edge.target)},
                             {"disagreement", edge.disagreement}});
  }
  return json;
}

}  // namespace

std::string run_report(const Ensemble& ensemble, const Dataset& dataset,
                       const ReportOptions& options) {
  if (ensemble.first().task() == TaskKind::kLinks) return link_report(ensemble, dataset);
  const std::vector<Run>& members = ensemble.members();
  for (const Run& run : members) check_dataset(run, dataset);
  const Tested tested = test(ensemble, dataset);
  Json json = {{"dataset", ensemble.first().dataset()},
               {"num_nodes", dataset.graph.num_nodes()},
               {"num_arcs", dataset.graph.num_arcs()},
               {"is_finished", ensemble.is_finished()}};
  add_scores(json, ensemble, tested);
  add_classes(json, ensemble.first(), dataset, tested);
  json["calibration"] = calibration_json(calibration_of(tested.predictions));
  json["members"] = Json::array();
  json["curves"] = Json::array();
  std::vector<std::vector<double>> accuracies;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const Run& run = members[i];
    accuracies.push_back(members.size() == 1 ? tested.accuracies() : accuracies_of(run, dataset));
    json["members"].push_back(member_json(run, accuracies.back()));
    add_curves(json["curves"], i, run, dataset);
  }
  json["mistakes"] = mistakes_json(tested, dataset);
  const std::size_t sheaf = first_with(ensemble, "stalk_dim");
  const Run& network = members[sheaf];
  json["sheaf"] =
      sheaf_json(learned_sheaf(network, network.best_split(), dataset, kNumWorst), dataset);
  if (!json["sheaf"].is_null()) json["sheaf"]["member"] = sheaf;
  // Last, because it may take long: all problems with the run are known by now.
  const std::size_t compared = first_with(ensemble, "q");
  json["compared"] = compared;
  json["comparisons"] =
      options.compares
          ? comparisons_json(compare(members[compared], dataset, accuracies[compared], options))
          : Json();
  const std::string what =
      members.size() == 1 ? ensemble.first().model() : fmt::format("{} networks", members.size());
  return make_page(kRunPage, what + " on " + ensemble.first().dataset(), json);
}

}  // namespace dsnn
