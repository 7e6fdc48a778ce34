#include "cli/link_commands.h"

#include "dsnn/data/csv.h"
#include "dsnn/train/link_run.h"
#include "dsnn/util/output_file.h"

#include "cli/arguments.h"
#include "cli/link_table.h"
#include "train/link_config.h"
#include "util/index.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <vector>

namespace dsnn::cli {
namespace {

std::vector<std::string> class_names(const Run& run) {
  if (run.num_classes() == 2) return {"0", "1"};
  return {"forward", "backward", "none"};
}

std::string models_text(const Ensemble& ensemble) {
  const std::size_t count = ensemble.members().size();
  return count == 1 ? "the model" : fmt::format("the {} members", count);
}

}  // namespace

int evaluate_links(const Ensemble& ensemble, const Dataset& dataset, bool is_json) {
  const Run& run = ensemble.first();
  const std::vector<Scores> scores = link_test_scores(ensemble, run.splits(), dataset);
  std::vector<Metrics> splits;
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < scores.size(); ++i) {
    splits.push_back(metrics_of(scores[i]));
    rows.push_back(json_of(splits.back()));
    rows.back()["split"] = run.splits()[i];
    rows.back()["test_loss"] = scores[i].loss;
  }
  if (is_json) {
    print_json(
        {{"dataset", dataset.name}, {"metric", link_metric(run.config())}, {"splits", rows}});
    return 0;
  }
  const std::vector<std::string> names = names_of(splits.front());
  print_heading(names);
  for (std::size_t i = 0; i < splits.size(); ++i) {
    print_means(fmt::format("split {}", run.splits()[i]), {splits[i]}, names);
  }
  print_means(fmt::format("mean of {}", splits.size()), splits, names);
  return 0;
}

int predict_pairs(const Ensemble& ensemble, int split, const Dataset& dataset,
                  const std::string& pairs_file, const std::string& output) {
  const Run& run = ensemble.first();
  const std::vector<Arc> pairs = read_pairs(pairs_file, dataset);
  const std::vector<double> p = LinkPredictor(ensemble, split, dataset).probabilities(pairs);
  const auto classes = at(run.num_classes());
  OutputFile file(output);
  std::string line = "source,target";
  for (const std::string& name : class_names(run)) line += ",p_" + name;
  file.write(line + "\n");
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    line = csv_field(dataset.node_name(pairs[i].source)) + "," +
           csv_field(dataset.node_name(pairs[i].target));
    for (std::size_t c = 0; c < classes; ++c) line += fmt::format(",{:.6f}", p[i * classes + c]);
    file.write(line + "\n");
  }
  file.commit();
  if (!is_stream_path(output)) {
    fmt::print("{}: {} pairs, predicted by {} of split {}\n", output, pairs.size(),
               models_text(ensemble), split);
  }
  return 0;
}

int predict_top(const Ensemble& ensemble, int split, const Dataset& dataset, std::int64_t count,
                const std::string& output) {
  const std::vector<LinkPrediction> top = LinkPredictor(ensemble, split, dataset).top(count);
  OutputFile file(output);
  file.write("source,target,p\n");
  for (const LinkPrediction& each : top) {
    file.write(fmt::format("{},{},{:.6f}\n", csv_field(dataset.node_name(each.source)),
                           csv_field(dataset.node_name(each.target)), each.probability));
  }
  file.commit();
  if (!is_stream_path(output)) {
    fmt::print("{}: {} pairs, at most {} for each node, predicted by {} of split {}\n", output,
               top.size(), count, models_text(ensemble), split);
  }
  return 0;
}

}  // namespace dsnn::cli
