#include "reproduce/links.h"

#include "dsnn/util/error.h"

#include "reproduce/families.h"
#include "reproduce/report.h"
#include "util/json_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace dsnn::reproduce {
namespace {

namespace fs = std::filesystem;

constexpr const char* kQuestions[] = {"existence", "direction", "three-class"};

struct Metric {
  const char* name;
  const char* title;
};
constexpr Metric kOthers[] = {
    {"hits@20", "Hits@20"}, {"hits@50", "Hits@50"},      {"hits@100", "Hits@100"}, {"mrr", "MRR"},
    {"roc_auc", "AUC"},     {"ap", "average precision"}, {"accuracy", "accuracy"}};

/// A metric of a cell: mean and deviation over the splits, each with its mean over the seeds; "-"
/// if a split has no such metric.
std::string metric_text(const Cell& cell, const std::string& name) {
  std::vector<double> by_split(cell.scores->accuracies.size(), 0);
  const std::vector<const SeedRun*> runs = cell.shown_runs();
  for (const SeedRun* run : runs) {
    std::ifstream file(run->folder / "result.json", std::ios::binary);
    const nlohmann::ordered_json result = parse_json(file);
    const auto splits =
        result.is_object() ? result.value("splits", nlohmann::ordered_json()) : result;
    if (splits.size() != by_split.size()) return "-";
    for (std::size_t i = 0; i < by_split.size(); ++i) {
      if (!splits[i].contains("test_" + name)) return "-";
      by_split[i] += splits[i]["test_" + name].get<double>() / static_cast<double>(runs.size());
    }
  }
  return runs.empty() ? "-" : score_text(mean_and_deviation(by_split));
}

void add_other_metrics(Document& document, const Grid& grid) {
  Document::Table table;
  table.header = {"dataset", "model"};
  for (const Metric& metric : kOthers) table.header.emplace_back(metric.title);
  for (const Cell& cell : grid.cells) {
    if (!cell.is_scored()) continue;
    std::vector<Document::TableCell> row = {plain(cell.column), plain(cell.model)};
    for (const Metric& metric : kOthers) row.push_back(plain(metric_text(cell, metric.name)));
    table.rows.push_back(std::move(row));
  }
  if (table.rows.empty()) return;
  document.add(Document::Heading{"All metrics"});
  document.add(
      Document::Paragraph{"Mean and standard deviation in percent. All metrics are those of one "
                          "model, of the epoch that "
                          "is best by the metric of its configuration, while each published metric "
                          "is that of the epoch "
                          "that is best by it."});
  document.add(std::move(table));
}

}  // namespace

Dataset dirlink_dataset(const std::string& column, const std::string& data_dir) {
  const char* const variable = std::getenv("DSNN_DATA");
  const std::string folder = !data_dir.empty() ? data_dir : variable != nullptr ? variable : "";
  const fs::path path = fs::path(folder) / "links" / (column + ".npz");
  if (folder.empty() || !fs::exists(path)) {
    throw Error(fmt::format(
        "{}: no such file, expected a graph of DirLinkBench with its splits (--data-dir, or "
        "$DSNN_DATA)",
        path.string()));
  }
  Dataset dataset = read_dataset(path);
  if (dataset.link_splits.empty()) {
    throw Error(fmt::format("{}: has no link splits", path.string()));
  }
  return dataset;
}

Document make_dirlink_report(const Grid& grid) {
  Document document = make_report(grid, "DirLinkBench: existence of arcs", "dataset", "Hits@100");
  add_other_metrics(document, grid);
  return document;
}

LinkColumn link_column(const std::string& column) {
  const std::size_t dot = column.find('.');
  const std::string question = dot == std::string::npos ? "" : column.substr(dot + 1);
  if (std::ranges::find(kQuestions, question) == std::end(kQuestions)) {
    throw Error(fmt::format("'{}' is no dataset with a question, such as texas.direction ({})",
                            column, fmt::join(kQuestions, ", ")));
  }
  return {column.substr(0, dot), question};
}

Document make_links_report(const Grid& grid) {
  Document document = make_report(grid, "Links: existence, direction, three classes",
                                  "dataset.question", "accuracy of pairs");
  std::vector<std::string> parts;
  const std::vector<FamilyComparison> comparisons = compare_families(grid, "nsd");
  for (const char* question : kQuestions) {
    std::vector<double> differences;
    for (const FamilyComparison& each : comparisons) {
      if (link_column(each.dsnn->column).question != question) continue;
      differences.push_back(each.difference.mean);
    }
    if (differences.empty()) continue;
    parts.push_back(fmt::format("{:+.2f} points for {} ({} comparisons)",
                                mean_and_deviation(differences).mean, question,
                                differences.size()));
  }
  if (parts.empty()) return document;
  document.blocks.insert(document.blocks.begin() + 1,
                         Document::Paragraph{fmt::format(
                             "What direction is worth, as the mean difference of DSNN and NSD with "
                             "the same maps: {}.",
                             fmt::join(parts, ", "))});
  return document;
}

}  // namespace dsnn::reproduce
