#include "dsnn/report/report.h"
#include "dsnn/train/ensemble.h"
#include "dsnn/train/link_run.h"
#include "dsnn/train/run.h"

#include "c/arrays.h"
#include "c/datasets.h"
#include "c/options.h"
#include "c/progress.h"
#include "train/link_scores.h"
#include "train/run_files.h"
#include "util/json_text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace dsnn::c {
namespace {

using Json = nlohmann::ordered_json;

Handles<dsnn_run, const Ensemble>& runs() {
  static auto* const instance = new Handles<dsnn_run, const Ensemble>("run");
  return *instance;
}

Json value_json(const ParameterValue& value) {
  return std::visit([](const auto& v) { return Json(v); }, value);
}

Json run_json(const Run& run) {
  Json parameters = Json::object(), splits = Json::array();
  for (const Parameter& parameter : run.config().parameters()) {
    parameters[parameter.name] = value_json(run.config().value(parameter.name));
  }
  const RunFiles files(run.folder());
  for (const int split : run.splits()) {
    const std::optional<std::int64_t> epoch = run.best_epoch(split);
    splits.push_back({{"split", split},
                      {"best_epoch", epoch ? Json(*epoch) : Json()},
                      {"metrics", files.metrics(split).string()},
                      {"model", files.model(split).string()}});
  }
  return {
      {"folder", run.folder().string()}, {"model", run.model()}, {"dataset", run.dataset()},
      {"checksum", run.checksum()},      {"seed", run.seed()},   {"is_finished", run.is_finished()},
      {"parameters", parameters},        {"splits", splits}};
}

Json describe(const Ensemble& ensemble) {
  const Run& first = ensemble.first();
  Json members = Json::array();
  for (const Run& run : ensemble.members()) members.push_back(run_json(run));
  return {{"classes", first.num_classes()},
          {"label_names", first.label_names()},
          {"feature_names", first.feature_names()},
          {"preparation", first.preparation(first.best_split()).description(first.feature_names())},
          {"best_split", first.best_split()},
          {"is_finished", ensemble.is_finished()},
          {"members", members}};
}

Json scores_json(int split, const Scores& scores) {
  Json json = {{"split", split},
               {"test_accuracy", 100 * scores.accuracy},
               {"test_macro_f1", 100 * scores.macro_f1},
               {"test_loss", scores.loss}};
  if (scores.roc_auc) json["test_roc_auc"] = 100 * *scores.roc_auc;
  if (scores.metric) json["test_score"] = 100 * *scores.metric;
  if (!scores.ranks) return json;
  for (const auto& [name, share] : named_ranks(*scores.ranks)) json["test_" + name] = 100 * share;
  return json;
}

Json evaluate(const Ensemble& ensemble, const Dataset& dataset) {
  const Run& first = ensemble.first();
  if (first.has_other_splits(dataset)) {
    throw Error(
        fmt::format("{}: has other splits than those that the run was trained on, and may "
                    "test training nodes",
                    dataset.name));
  }
  Json splits = Json::array();
  if (first.task() == TaskKind::kLinks) {
    const std::vector<Scores> all = link_test_scores(ensemble, first.splits(), dataset);
    for (std::size_t i = 0; i < all.size(); ++i) {
      splits.push_back(scores_json(first.splits()[i], all[i]));
    }
    return splits;
  }
  if (ensemble.members().size() == 1) {
    const std::vector<Scores> all = first.test_scores(first.splits(), dataset);
    for (std::size_t i = 0; i < all.size(); ++i) {
      splits.push_back(scores_json(first.splits()[i], all[i]));
    }
    return splits;
  }
  for (const int split : first.splits()) {
    splits.push_back(scores_json(split, ensemble_scores(ensemble, split, dataset).test));
  }
  return splits;
}

/// A node of a dataset. Throws Error if it is out of range.
NodeId node_of(std::int64_t number, const Dataset& dataset) {
  if (number >= 0 && number < dataset.graph.num_nodes()) return static_cast<NodeId>(number);
  throw Error(
      fmt::format("pairs has node {}, expected 0 to {}", number, dataset.graph.num_nodes() - 1));
}

}  // namespace
}  // namespace dsnn::c

using namespace dsnn::c;

extern "C" {

dsnn_status dsnn_run_open(const char* folder, dsnn_run** run) {
  return dsnn_run_open_on(folder, "cpu", run);
}

dsnn_status dsnn_run_open_on(const char* folder, const char* device, dsnn_run** run) {
  return guarded([&] {
    require(folder, "folder");
    require(device, "device");
    require(run, "run");
    *run = runs().add(std::make_shared<const dsnn::Ensemble>(folder, device));
  });
}

dsnn_status dsnn_run_close(dsnn_run* run) {
  return guarded([&] { runs().close(run); });
}

dsnn_status dsnn_run_describe(dsnn_run* run, char** json) {
  return guarded([&] {
    require(json, "json");
    *json = new_text(dsnn::json_text(describe(*runs().get(run))));
  });
}

dsnn_status dsnn_run_get_logits(dsnn_run* run, int32_t split, dsnn_dataset* dataset,
                                int64_t num_nodes, int64_t num_classes, float* logits) {
  return guarded([&] {
    const auto ensemble = runs().get(run);
    const auto data = dataset_of(dataset);
    check_room(num_nodes, data->graph.num_nodes(), "nodes");
    check_room(num_classes, ensemble->first().num_classes(), "classes");
    if (num_nodes > 0) require(logits, "logits");
    const std::vector<float> all =
        ensemble->logits(split < 0 ? ensemble->first().best_split() : split, *data);
    std::copy(all.begin(), all.end(), logits);
  });
}

dsnn_status dsnn_run_evaluate(dsnn_run* run, dsnn_dataset* dataset, char** json) {
  return guarded([&] {
    require(json, "json");
    *json = new_text(dsnn::json_text(evaluate(*runs().get(run), *dataset_of(dataset))));
  });
}

dsnn_status dsnn_run_get_links(dsnn_run* run, int32_t split, dsnn_dataset* dataset,
                               int64_t num_pairs, const int64_t* pairs, int64_t num_classes,
                               double* probabilities) {
  return guarded([&] {
    const auto ensemble = runs().get(run);
    const dsnn::Run& first = ensemble->first();
    const auto data = dataset_of(dataset);
    check_room(num_classes, first.num_classes(), "classes");
    if (num_pairs < 0) throw dsnn::Error("num_pairs is negative");
    if (num_pairs > 0) {
      require(pairs, "pairs");
      require(probabilities, "probabilities");
    }
    std::vector<dsnn::Arc> arcs;
    for (std::int64_t i = 0; i < num_pairs; ++i) {
      arcs.push_back({node_of(pairs[2 * i], *data), node_of(pairs[2 * i + 1], *data)});
    }
    const dsnn::LinkPredictor predictor(*ensemble, split < 0 ? first.best_split() : split, *data);
    const std::vector<double> all = predictor.probabilities(arcs);
    std::copy(all.begin(), all.end(), probabilities);
  });
}

dsnn_status dsnn_run_top_links(dsnn_run* run, int32_t split, dsnn_dataset* dataset, int64_t count,
                               char** json) {
  return guarded([&] {
    require(json, "json");
    if (count < 1) throw dsnn::Error("count must be at least 1");
    const auto ensemble = runs().get(run);
    const dsnn::LinkPredictor predictor(
        *ensemble, split < 0 ? ensemble->first().best_split() : split, *dataset_of(dataset));
    Json links = {
        {"sources", Json::array()}, {"targets", Json::array()}, {"probabilities", Json::array()}};
    for (const dsnn::LinkPrediction& each : predictor.top(count)) {
      links["sources"].push_back(each.source);
      links["targets"].push_back(each.target);
      links["probabilities"].push_back(each.probability);
    }
    *json = new_text(dsnn::json_text(links));
  });
}

dsnn_status dsnn_run_report(dsnn_run* run, dsnn_dataset* dataset, const char* options_text,
                            dsnn_progress callback, void* user_data, char** html) {
  return guarded([&] {
    require(html, "html");
    const auto ensemble = runs().get(run);
    const auto data = dataset_of(dataset);
    Options options(options_text, "report");
    dsnn::ReportOptions report;
    report.compares = options.flag("compares", true);
    report.jobs = static_cast<int>(options.integer("jobs", 1, 1, 1024));
    report.threads = static_cast<int>(options.integer("threads", 0, 0, 1024));
    options.done();
    Progress progress(callback, user_data);
    report.observer = [&](const std::string& name, const dsnn::TrainProgress& p) {
      if (!progress.is_due()) return;
      progress.tell({{"name", name},
                     {"split", p.split},
                     {"epoch", p.epoch},
                     {"epochs", p.epochs},
                     {"train_loss", p.train_loss},
                     {"val_accuracy", 100 * p.validation_accuracy},
                     {"best_val_accuracy", 100 * p.best_validation_accuracy},
                     {"seconds", p.seconds},
                     {"is_finished", p.is_finished}});
    };
    *html = new_text(dsnn::run_report(*ensemble, *data, report));
  });
}

}  // extern "C"
