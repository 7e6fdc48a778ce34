#include "cli/describe.h"

#include "dsnn/data/feature_preparation.h"
#include "dsnn/data/splits.h"
#include "dsnn/graph/statistics.h"

#include "data/text_reader.h"
#include "util/json_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace dsnn::cli {
namespace {

using Json = nlohmann::ordered_json;

Json degree_json(const DegreeSummary& summary) {
  return {{"min", summary.min}, {"mean", summary.mean}, {"max", summary.max}};
}

Json graph_json(const Dataset& dataset) {
  const DirectedGraph& graph = dataset.graph;
  const DegreeStatistics degrees = degree_statistics(graph);
  const ComponentStatistics weak = weak_components(graph);
  const ComponentStatistics strong = strong_components(graph);
  return {{"name", dataset.name},
          {"nodes", graph.num_nodes()},
          {"arcs", graph.num_arcs()},
          {"edges", graph.num_edges()},
          {"two_way_edges", num_two_way_edges(graph)},
          {"reciprocity", reciprocity(graph)},
          {"weighted", graph.is_weighted()},
          {"self_loops_dropped", graph.dropped().self_loops},
          {"duplicate_arcs_merged", graph.dropped().duplicates},
          {"zero_weight_arcs_dropped", graph.dropped().zero_weight},
          {"degree", degree_json(degrees.total)},
          {"out_degree", degree_json(degrees.out)},
          {"in_degree", degree_json(degrees.in)},
          {"isolated_nodes", degrees.num_isolated},
          {"weak_components", {{"count", weak.count}, {"largest", weak.largest}}},
          {"strong_components", {{"count", strong.count}, {"largest", strong.largest}}}};
}

Json label_json(const Dataset& dataset) {
  const auto is_unknown = [](std::int64_t label) { return label < 0; };
  Json result = {{"classes", dataset.num_classes},
                 {"unlabelled_nodes",
                  std::count_if(dataset.labels.begin(), dataset.labels.end(), is_unknown)}};
  if (dataset.num_classes > kMaxHomophilyClasses) return result;
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(dataset.num_classes), 0);
  for (const std::int64_t label : dataset.labels) {
    if (label >= 0) ++sizes[static_cast<std::size_t>(label)];
  }
  const Homophily h = homophily(dataset.graph, dataset.labels, dataset.num_classes);
  result["class_sizes"] = sizes;
  if (!dataset.label_names.empty()) result["class_names"] = dataset.label_names;
  result["homophily"] = {{"edge", h.edge},
                         {"node", h.node},
                         {"class_insensitive", h.class_insensitive},
                         {"adjusted", h.adjusted},
                         {"label_informativeness", h.label_informativeness}};
  return result;
}

Json feature_json(const Dataset& dataset) {
  return {{"count", dataset.features.num_columns},
          {"density", dataset.features.density()},
          {"sparse", dataset.features.is_sparse()},
          {"prepared", FeaturePreparation::fit(dataset, FeatureScale::kAuto, DegreeColumns::kAuto)
                           .description(dataset.feature_names)}};
}

Json split_json(const Dataset& dataset) {
  const auto range = [&](const auto& mask_of) {
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    std::int64_t most = 0;
    for (const Split& split : dataset.splits) {
      const auto& mask = mask_of(split);
      const std::int64_t size = std::accumulate(mask.begin(), mask.end(), std::int64_t{0});
      least = std::min(least, size);
      most = std::max(most, size);
    }
    return Json::array({least, most});
  };
  return {{"count", dataset.splits.size()},
          {"train", range([](const Split& s) -> auto& { return s.train; })},
          {"validation", range([](const Split& s) -> auto& { return s.validation; })},
          {"test", range([](const Split& s) -> auto& { return s.test; })}};
}

}  // namespace

Json describe(const Dataset& dataset) {
  Json result = graph_json(dataset);
  if (!dataset.labels.empty()) result["labels"] = label_json(dataset);
  if (!dataset.features.empty() && dataset.features.num_rows > 0)
    result["features"] = feature_json(dataset);
  if (!dataset.splits.empty()) result["splits"] = split_json(dataset);
  if (!dataset.node_ids.empty()) {
    result["first_node_ids"] = std::vector(
        dataset.node_ids.begin(),
        dataset.node_ids.begin() + std::min<std::ptrdiff_t>(3, std::ssize(dataset.node_ids)));
  }
  if (!dataset.notes.empty()) result["notes"] = dataset.notes;
  for (const SplitProblem& problem : check_splits(dataset)) {
    result["warnings"].push_back(problem.text);
  }
  return result;
}

namespace {

// The text is derived from the JSON, so that the two cannot disagree.

std::string number(const Json& value) {
  if (value.is_number_float()) {
    const double x = value.get<double>();
    return std::isfinite(x) ? fmt::format("{:.4g}", x) : "undefined";
  }
  return json_text(value);
}

std::string degree_text(const Json& d) {
  return fmt::format("{} to {}, mean {}", number(d["min"]), number(d["max"]), number(d["mean"]));
}

std::string range_text(const Json& range) {
  return range[0] == range[1] ? number(range[0])
                              : fmt::format("{}-{}", number(range[0]), number(range[1]));
}

void line(const char* key, const std::string& value) { fmt::print("{:<18} {}\n", key, value); }

std::vector<std::string> names_of(const Json& texts) {
  return texts.get<std::vector<std::string>>();
}

// "[12, 30]", or "cat 12, dog 30" where classes have names.
std::string class_sizes(const Json& labels) {
  if (!labels.contains("class_names")) return json_text(labels["class_sizes"]);
  std::string text;
  for (std::size_t i = 0; i < labels["class_names"].size(); ++i) {
    text += fmt::format("{}{} {}", i == 0 ? "" : ", ",
                        printable(labels["class_names"][i].get<std::string>()),
                        number(labels["class_sizes"][i]));
  }
  return text;
}

void print_homophily(const Json& h) {
  line("homophily",
       fmt::format("edge {}, node {}, class-insensitive {}, adjusted {}", number(h["edge"]),
                   number(h["node"]), number(h["class_insensitive"]), number(h["adjusted"])));
  line("informativeness", number(h["label_informativeness"]) + " (label informativeness)");
}

}  // namespace

void print_description(const Json& d) {
  line("graph", d["name"].get<std::string>());
  line("nodes", fmt::format("{} ({} isolated)", number(d["nodes"]), number(d["isolated_nodes"])));
  line("arcs", fmt::format("{}{}", number(d["arcs"]), d["weighted"] ? ", weighted" : ""));
  line("edges", fmt::format("{} ({} two-way)", number(d["edges"]), number(d["two_way_edges"])));
  line("reciprocity", fmt::format("{} of the arcs", number(d["reciprocity"])));
  if (d["self_loops_dropped"] > 0) line("self-loops", number(d["self_loops_dropped"]) + " dropped");
  if (d["duplicate_arcs_merged"] > 0)
    line("duplicates", number(d["duplicate_arcs_merged"]) + " merged");
  if (d["zero_weight_arcs_dropped"] > 0)
    line("zero weights", number(d["zero_weight_arcs_dropped"]) + " arcs dropped");
  line("degree", degree_text(d["degree"]));
  line("out-degree", degree_text(d["out_degree"]));
  line("in-degree", degree_text(d["in_degree"]));
  for (const char* kind : {"weak", "strong"}) {
    const Json& components = d[fmt::format("{}_components", kind)];
    line(fmt::format("{} components", kind).c_str(),
         fmt::format("{}, the largest with {} nodes", number(components["count"]),
                     number(components["largest"])));
  }
  if (d.contains("labels")) {
    const Json& labels = d["labels"];
    std::string classes = number(labels["classes"]);
    if (labels.contains("class_sizes") && labels["class_sizes"].size() <= 20)
      classes += " of sizes " + class_sizes(labels);
    if (labels["unlabelled_nodes"] > 0)
      classes += ", " + number(labels["unlabelled_nodes"]) + " unlabelled";
    line("classes", classes);
    if (labels.contains("homophily")) {
      print_homophily(labels["homophily"]);
    } else {
      line("homophily", fmt::format("not computed for more than {} classes", kMaxHomophilyClasses));
    }
  }
  if (d.contains("features")) {
    const Json& features = d["features"];
    line("features", fmt::format("{}, {:.4g} % non-zero", number(features["count"]),
                                 100 * features["density"].get<double>()));
    line("prepared", features["prepared"].get<std::string>());
  }
  if (d.contains("splits")) {
    const Json& splits = d["splits"];
    line("splits", fmt::format("{}: train {}, validation {}, test {}", number(splits["count"]),
                               range_text(splits["train"]), range_text(splits["validation"]),
                               range_text(splits["test"])));
  }
  if (d.contains("first_node_ids")) {
    std::vector<std::string> ids = names_of(d["first_node_ids"]);
    std::ranges::transform(ids, ids.begin(), printable);
    line("node ids", fmt::format("{}, ...", fmt::join(ids, ", ")));
  }
  for (const char* kind : {"note", "warning"}) {
    const std::string key = fmt::format("{}s", kind);
    if (!d.contains(key)) continue;
    for (const std::string& text : names_of(d[key])) line(kind, text);
  }
}

}  // namespace dsnn::cli
