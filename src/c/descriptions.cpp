// Descriptions of datasets, models and the registry of datasets, as JSON.
#include "dsnn/data/registry.h"
#include "dsnn/data/splits.h"
#include "dsnn/graph/statistics.h"
#include "dsnn/nn/model.h"
#include "dsnn/train/run_config.h"
#include "dsnn/train/train.h"

#include "c/datasets.h"
#include "c/options.h"
#include "util/json_text.h"

#include <nlohmann/json.hpp>

#include <cmath>

namespace dsnn::c {
namespace {

using Json = nlohmann::ordered_json;

Json number_or_null(double number) { return std::isfinite(number) ? Json(number) : Json(); }

Json degrees_json(const DegreeSummary& degrees) {
  return {{"min", degrees.min}, {"max", degrees.max}, {"mean", degrees.mean}};
}

Json statistics_json(const Dataset& dataset) {
  const DirectedGraph& graph = dataset.graph;
  const DegreeStatistics degrees = degree_statistics(graph);
  const ComponentStatistics weak = weak_components(graph), strong = strong_components(graph);
  Json json = {{"reciprocity", number_or_null(reciprocity(graph))},
               {"two_way_edges", num_two_way_edges(graph)},
               {"isolated_nodes", degrees.num_isolated},
               {"degree", degrees_json(degrees.total)},
               {"out_degree", degrees_json(degrees.out)},
               {"in_degree", degrees_json(degrees.in)},
               {"weak_components", {{"count", weak.count}, {"largest", weak.largest}}},
               {"strong_components", {{"count", strong.count}, {"largest", strong.largest}}}};
  if (!dataset.labels.empty() && dataset.num_classes <= kMaxHomophilyClasses) {
    const Homophily h = homophily(graph, dataset.labels, dataset.num_classes);
    json["homophily"] = {{"edge", number_or_null(h.edge)},
                         {"node", number_or_null(h.node)},
                         {"class_insensitive", number_or_null(h.class_insensitive)},
                         {"adjusted", number_or_null(h.adjusted)},
                         {"label_informativeness", number_or_null(h.label_informativeness)}};
  }
  return json;
}

Json problems_json(const Dataset& dataset) {
  Json problems = Json::array();
  if (dataset.splits.empty() || dataset.labels.empty()) return problems;
  for (const SplitProblem& problem : check_splits(dataset)) {
    problems.push_back({{"is_error", problem.is_error}, {"text", problem.text}});
  }
  return problems;
}

Json describe(const Dataset& dataset) {
  const DirectedGraph& graph = dataset.graph;
  return {{"name", dataset.name},
          {"nodes", graph.num_nodes()},
          {"arcs", graph.num_arcs()},
          {"edges", graph.num_edges()},
          {"is_weighted", graph.is_weighted()},
          {"features", dataset.features.num_columns},
          {"has_sparse_features", dataset.features.is_sparse()},
          {"classes", dataset.num_classes},
          {"splits", dataset.splits.size()},
          {"node_ids", dataset.node_ids},
          {"label_names", dataset.label_names},
          {"feature_names", dataset.feature_names},
          {"notes", dataset.notes},
          {"checksum", checksum(dataset)},
          {"split_problems", problems_json(dataset)},
          {"statistics", statistics_json(dataset)}};
}

Json value_json(const ParameterValue& value) {
  return std::visit([](const auto& v) { return Json(v); }, value);
}

Json model_json(const nn::ModelEntry& entry) {
  Json json = {{"name", entry.name},
               {"family", entry.family},
               {"title", entry.title},
               {"reference", entry.reference},
               {"year", entry.year},
               {"uses_direction", entry.uses_direction},
               {"learns_structure", entry.learns_structure},
               {"relative_cost", entry.relative_cost},
               {"parameters", Json::array()}};
  const Config config = default_config(entry.name);
  for (const Parameter& parameter : config.parameters()) {
    Json p = {{"name", parameter.name},
              {"default", value_json(parameter.default_value)},
              {"help", parameter.help}};
    if (!parameter.choices.empty()) p["choices"] = parameter.choices;
    if (std::isfinite(parameter.least)) p["least"] = parameter.least;
    if (std::isfinite(parameter.most)) p["most"] = parameter.most;
    json["parameters"].push_back(std::move(p));
  }
  return json;
}

const char* kind_text(SourceKind kind) {
  switch (kind) {
    case SourceKind::kGeomGcn:
      return "geom-gcn";
    case SourceKind::kHeterophilous:
      return "heterophilous";
    case SourceKind::kLinqs:
      return "linqs";
    case SourceKind::kNone:
      break;
  }
  return "none";
}

/// The file that the dataset would be read from, or null.
Json place_json(const DatasetEntry& entry, const std::string& data_dir) {
  try {
    return find_dataset(entry.name + ".npz", data_dir).string();
  } catch (const Error&) {
    return {};
  }
}

Json entry_json(const DatasetEntry& entry, const std::string& data_dir) {
  Json json = {{"name", entry.name},
               {"title", entry.title},
               {"reference", entry.reference},
               {"homepage", entry.homepage},
               {"nodes", entry.num_nodes},
               {"arcs", entry.num_arcs},
               {"classes", entry.num_classes},
               {"features", entry.num_features},
               {"splits", entry.splits},
               {"directions_are_real", entry.directions_are_real},
               {"normalise_features", entry.normalise_features},
               {"faults", entry.faults},
               {"path", place_json(entry, data_dir)},
               {"source_kind", kind_text(entry.source_kind)},
               {"sources", Json::array()}};
  for (const DatasetSource& source : entry.sources) {
    json["sources"].push_back({{"url", source.url},
                               {"file", source.file_name},
                               {"bytes", source.bytes > 0 ? Json(source.bytes) : Json()},
                               {"sha256", source.sha256.empty() ? Json() : Json(source.sha256)}});
  }
  return json;
}

}  // namespace
}  // namespace dsnn::c

using namespace dsnn::c;

extern "C" {

dsnn_status dsnn_dataset_describe(dsnn_dataset* dataset, char** json) {
  return guarded([&] {
    require(json, "json");
    *json = new_text(dsnn::json_text(describe(*dataset_of(dataset))));
  });
}

dsnn_status dsnn_dataset_list(const char* options_text, char** json) {
  return guarded([&] {
    require(json, "json");
    Options options(options_text, "datasets");
    const std::string data_dir = options.text("data_dir", "");
    options.done();
    const std::filesystem::path folder =
        data_dir.empty() ? dsnn::cache_folder() : std::filesystem::path(data_dir);
    Json list = {{"folder", folder.string()}, {"datasets", Json::array()}};
    for (const dsnn::DatasetEntry& entry : dsnn::dataset_registry()) {
      list["datasets"].push_back(entry_json(entry, data_dir));
    }
    *json = new_text(dsnn::json_text(list));
  });
}

dsnn_status dsnn_model_list(char** json) {
  return guarded([&] {
    require(json, "json");
    Json list = Json::array();
    for (const dsnn::nn::ModelEntry& entry : dsnn::nn::model_registry()) {
      list.push_back(model_json(entry));
    }
    *json = new_text(dsnn::json_text(list));
  });
}

}  // extern "C"
