#include "reproduce/missing_class.h"

#include "dsnn/train/run.h"
#include "dsnn/util/error.h"
#include "dsnn/util/output_file.h"

#include "reproduce/report.h"
#include "util/json_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <utility>

namespace dsnn::reproduce {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// For each class, whether any test set has a node of it.
std::vector<bool> tested_classes(const Dataset& dataset) {
  std::vector<bool> is_tested(static_cast<std::size_t>(dataset.num_classes));
  for (const Split& split : dataset.splits) {
    for (std::size_t u = 0; u < split.test.size(); ++u) {
      const std::int64_t label = dataset.labels[u];
      if (split.test[u] != 0 && label >= 0) is_tested[static_cast<std::size_t>(label)] = true;
    }
  }
  return is_tested;
}

/// Test accuracies of a run on a dataset without these classes. They are stored in the run's
/// folder, because its weights may be deleted; nothing if neither exists.
std::optional<std::vector<double>> accuracies_without(const std::vector<std::int64_t>& classes,
                                                      const fs::path& folder,
                                                      const Dataset& dataset) {
  const fs::path path = folder / "without-classes.json";
  try {
    std::ifstream file(path, std::ios::binary);
    const Json kept = parse_json(file);
    if (kept.at("classes").get<std::vector<std::int64_t>>() == classes) {
      return kept.at("test_accuracies").get<std::vector<double>>();
    }
  } catch (const Json::exception&) {  // missing or damaged
  }
  std::vector<double> accuracies;
  try {
    const Run run(folder);
    for (const Scores& scores : run.test_scores(run.splits(), dataset)) {
      accuracies.push_back(100 * scores.accuracy);
    }
  } catch (const Cancelled&) {
    throw;
  } catch (const Error&) {
    return std::nullopt;
  }
  write_file(path, json_text({{"classes", classes}, {"test_accuracies", accuracies}}) + "\n");
  return accuracies;
}

/// The same over the seeds of a cell: of each split the mean; nothing if a run has none.
std::optional<MeanAndDeviation> accuracy_without(const std::vector<std::int64_t>& classes,
                                                 const Cell& cell, const Dataset& dataset) {
  std::vector<double> means;
  const std::vector<const SeedRun*> runs = cell.shown_runs();
  for (const SeedRun* run : runs) {
    const auto accuracies = accuracies_without(classes, run->folder, dataset);
    if (!accuracies) return std::nullopt;
    means.resize(accuracies->size());
    for (std::size_t i = 0; i < means.size(); ++i) {
      means[i] += (*accuracies)[i] / static_cast<double>(runs.size());
    }
  }
  return mean_and_deviation(means);
}

}  // namespace

std::vector<std::int64_t> untested_classes(const Dataset& first, const Dataset& second) {
  std::vector<std::int64_t> classes;
  if (first.num_classes != second.num_classes) return classes;
  const std::vector<bool> a = tested_classes(first), b = tested_classes(second);
  for (std::size_t c = 0; c < a.size(); ++c) {
    if (a[c] && !b[c]) classes.push_back(static_cast<std::int64_t>(c));
  }
  return classes;
}

MissingClass::MissingClass(VariantPair pair, const Dataset& corrected, const Dataset& published)
    : pair_(std::move(pair)), classes_(untested_classes(corrected, published)) {
  if (classes_.empty()) return;
  others_ = corrected;
  for (std::int64_t& label : others_.labels) {
    if (std::ranges::find(classes_, label) != classes_.end()) label = -1;
  }
}

void MissingClass::add_to(Document& document, const Grid& grid) {
  if (classes_.empty()) return;
  Document::Table table;
  table.header = {"model",
                  pair_.corrected() + ", all classes",
                  "without the missing",
                  "difference",
                  pair_.published(),
                  "paper"};
  for (const std::string& model : grid.models) {
    const Cell& corrected = grid.at(model, pair_.corrected());
    const Cell& published = grid.at(model, pair_.published());
    if (!corrected.is_scored() || !published.is_scored()) continue;
    if (!scores_.contains(model)) {
      scores_[model] = accuracy_without(classes_, corrected, others_);
    }
    const MeanAndDeviation all = corrected.scores->mean();
    const std::optional<MeanAndDeviation> some = scores_[model];
    const auto& paper = published.paper;
    table.rows.push_back(
        {plain(model), plain(score_text(all)), plain(some ? score_text(*some) : "weights not kept"),
         plain(some ? fmt::format("{:+.2f}", some->mean - all.mean) : "-"),
         plain(score_text(published.scores->mean())), plain(paper ? score_text(*paper) : "-")});
  }
  if (table.rows.empty()) return;
  document.add(Document::Heading{"A class that is never tested"});
  document.add(Document::Paragraph{fmt::format(
      "No test set of {} contains a node of class {}. The table has the scores of the same trained "
      "models on all test nodes of {} and on those of the other classes: the difference is the "
      "effect "
      "of the missing class alone. The rest, up to the next column, is due to different training "
      "nodes "
      "and different class shares.",
      pair_.published(), fmt::join(classes_, ", "), pair_.corrected())});
  document.add(std::move(table));
}

}  // namespace dsnn::reproduce
